"""The search of a user's memories goes through the engine's own retrieval, with scores."""

from urllib.parse import quote

from tests.recollect_proxy.memory_api.serving import Api, assert_error, engine_over, path_of
from tests.scripted.models import BrokenEmbedder, WordEmbedder
from tests.support.stores import NOON, Store
from tests.support.tables import table

from recollect.indexing import index_user
from recollect.model import EmbeddingScope


async def test_the_best_comes_first_with_its_score(api: Api) -> None:
    for content in ("Has a cat.", "Likes green tea.", "Works in Ghent."):
        await api.write(content)
    await api.write("Likes black tea.", api.ben)

    response = await api.call("GET", f"{api.memories}/search?q=" + quote("What tea do I like?"))

    assert response.status == 200, response.body
    found = response.json["found"]
    assert found[0]["memory"]["content"] == "Likes green tea."
    scores = [each["score"] for each in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0
    assert found[0]["parts"]
    assert found[0]["memory"] == (await api.call("GET", f"{api.memories}/{found[0]['memory']['id']}")).json
    assert "Likes black tea." not in {each["memory"]["content"] for each in found}
    assert response.json["degraded"] == []


async def test_a_search_is_bound_to_kinds_sources_and_a_number(api: Api) -> None:
    await api.write("Likes tea.")
    todo = await api.write("Buy tea.", kind="todo")

    kinds = (await api.call("GET", f"{api.memories}/search?q=tea&kind=todo&source=manual")).json["found"]
    one = (await api.call("GET", f"{api.memories}/search?q=tea&limit=1")).json["found"]

    assert [each["memory"]["id"] for each in kinds] == [todo["id"]]
    assert len(one) == 1
    assert (await api.call("GET", f"{api.memories}/search?q=tea&source=import")).json["found"] == []


async def test_what_is_gone_or_serves_everybody_or_nobody_is_not_found(own_api: Api) -> None:
    api = own_api
    await api.call("POST", "/memory/global", {"content": "Tea is at four."})
    gone = await api.write("Likes tea.")
    await api.call("DELETE", f"{api.memories}/{gone['id']}")

    response = await api.call("GET", f"{api.memories}/search?q=tea")

    assert response.json["found"] == []


async def test_without_the_embedder_words_are_searched_for(api: Api, store: Store) -> None:
    await api.write("Likes tea.")
    await api.write("Has a cat.")
    with api.over(engine_over(store, BrokenEmbedder())):
        response = await api.call("GET", f"{api.memories}/search?q=tea")

    assert response.json["found"][0]["memory"]["content"] == "Likes tea."
    assert response.json["degraded"] == ["embedding"]


async def test_what_was_said_is_found_with_its_chat_and_date(api: Api, store: Store) -> None:
    await store.log.append(store.exchange("The attic leaks", store.anna.chat("a/b"), reply="Seal it."))
    await index_user(store.anna, index=store.index, embedder=WordEmbedder(), embedded=EmbeddingScope.ALL)

    response = await api.call("GET", f"{path_of(api.anna)}/messages?q=attic&limit=1")

    assert response.status == 200, response.body
    [found] = response.json["found"]
    assert found.pop("score") > 0
    assert found.pop("id")
    assert found == {
        "kind": "message",
        "session_id": "a/b",
        "said_at": NOON.isoformat().replace("+00:00", "Z"),
        "role": "user",
        "speaker": None,
        "text": "The attic leaks",
    }
    following = await api.call("GET", f"{path_of(api.anna)}/messages?q=attic&after={response.json['next']}")
    assert [each["text"] for each in following.json["found"]] == ["Seal it."]


@table(
    "asked, name",
    [
        ("", "q"),
        ("?q=%20", "q"),
        ("?q=" + "a" * 2001, "q"),
        ("?q=a&limit=0", "limit"),
        ("?q=a&limit=201", "limit"),
        ("?q=a&from=yesterday", "from"),
        ("?q=a&from=2026-03-02T00:00:00Z&until=2026-03-02T00:00:00Z", "until"),
        ("?q=a&after=01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10", "after"),
        ("?q=a&kind=fact", "kind"),
    ],
)
async def test_a_search_in_chats_that_makes_no_sense_is_refused(api: Api, asked: str, name: str) -> None:
    response = await api.call("GET", f"{path_of(api.anna)}/messages{asked}")

    assert_error(response, 400, "invalid_parameter", name)
