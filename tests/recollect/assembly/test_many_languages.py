"""Questions find statements in the same language, with and without accents."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from pydantic import SecretStr
from tests.support.waiting import until

from recollect.assembly.lifecycle import open_engine
from recollect.engine import Engine
from recollect.model import Passage, Scope, Strategy, Turn
from recollect.settings.engine_settings import EngineSettings, WorkerPlace


@dataclass(frozen=True)
class Scene:
    """A statement that a question is about, and what else was said."""

    told: str
    others: tuple[str, ...]
    question: str
    plain_question: str


SCENES = {
    "Chinese": Scene(
        "我对花生过敏，吃了会起疹子。",
        ("我住在杭州，工作是护士。", "我的狗叫豆豆，今年三岁。", "周末我喜欢去西湖边跑步。"),
        "你还记得我对什么过敏吗？",
        "我对什么过敏?",
    ),
    "Japanese": Scene(
        "わたしはピーナッツのアレルギーがあります。",
        ("京都に住んでいて、看護師をしています。", "犬の名前はモモです。", "週末は鴨川の近くを走ります。"),
        "わたしは何のアレルギーがありますか？",
        "わたしは何のｱﾚﾙｷﾞｰがありますか?",
    ),
    "German": Scene(
        "Ich bin allergisch gegen Nüsse und vertrage keine Erdnüsse.",
        (
            "Ich wohne in Köln und arbeite als Krankenpfleger.",
            "Mein Hund heißt Müsli.",
            "Sonntags laufe ich am Rhein.",
        ),
        "Gegen welche Nüsse bin ich allergisch?",
        "Gegen welche Nuesse bin ich allergisch?",
    ),
    "Arabic": Scene(
        "عندي حساسية من الفُول السوداني.",
        ("أسكن في عمّان وأعمل ممرضة.", "اسم كلبي سعيد.", "أركض في الحديقة كل جمعة."),
        "من أي شيء عندي حساسية؟",
        "ما هي الحساسيه عندي من الفول؟",
    ),
    "Portuguese": Scene(
        "Tenho alergia a avelã e não posso comer amêndoas.",
        ("Moro em São João e sou enfermeira.", "Meu cão se chama Pipoca.", "Corro na praia aos sábados."),
        "Eu tenho alergia a quê? Avelã?",
        "Eu tenho alergia a avela ou a amendoas?",
    ),
}


@pytest.fixture(scope="module")
async def engine(database_server: str, data_dir: Path) -> AsyncIterator[Engine]:
    settings = EngineSettings(
        database_url=SecretStr(database_server),
        data_dir=data_dir,
        formation=Strategy.QA_TURN,
        worker=WorkerPlace.WITHIN,
        recall_deadline_ms=40_000,
    )
    async with open_engine(settings) as opened:
        yield opened


@pytest.mark.parametrize("language", SCENES)
async def test_it_is_found_in_its_language_with_and_without_accents(engine: Engine, language: str) -> None:
    scene, user_id = SCENES[language], f"{language}-{uuid4().hex}"
    at = datetime(2026, 3, 15, tzinfo=UTC)
    for number, text in enumerate((*scene.others[:1], scene.told, *scene.others[1:])):
        turn = Turn(Scope(user_id, f"chat-{number}"), text, f"m{number}", at + timedelta(days=number), "m")
        assert await engine.remember(turn, "")
    await until(lambda: _formed(engine))

    for question in (scene.question, scene.plain_question):
        asked = Turn(Scope(user_id, "new"), question, question, at + timedelta(days=30), "m")
        recall = await engine.recall(asked)

        assert recall.recollections, f"{question} recalled nothing: {recall.gate_score}"
        best = recall.recollections[0].item
        assert isinstance(best, Passage)
        assert best.content == scene.told


async def _formed(engine: Engine) -> bool:
    return not (await engine.backlog()).pending
