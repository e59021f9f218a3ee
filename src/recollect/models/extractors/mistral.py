"""Asks a Mistral model through Mistral's SDK.

No error has a text of the user's, an answer or a credential.
"""

from dataclasses import replace
from datetime import timedelta

from recollect.errors import (
    ConfigurationError,
    ExtractorError,
    ExtractorTimeoutError,
    InvalidExtractionError,
)
from recollect.models.background_limits import spend
from recollect.models.extractors.chat_model import ANSWER_WITHIN, AnswerSchema, Messages, ModelAnswer
from recollect.models.extractors.completion import BEGUN, credential_for, read_completion, refusal, tokens_of
from recollect.models.mistral_sdk import (
    DEFAULT_BASE_URL,
    MistralAnswerTooLargeError,
    MistralCall,
    MistralCallError,
    MistralServer,
    MistralStatusError,
    MistralUnreachableError,
)
from recollect.ports import Asker

DEFAULT_MODEL = "mistral-small-latest"
"""The model that extracts where no other is named."""

ANSWER_BYTES = 1_000_000
"""The largest response read."""

_ANSWER_TOKENS = 4096
_NOT_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})


class MistralModel:
    """A Model over the SDK's ``chat.parse``: an answer is parsed into the form it was asked for in.

    An answer that the SDK can't parse is returned unchanged, since the caller reads more leniently.

    Args:
        base_url: The server, with or without ``/v1`` at its end.
        api_key: The credential to ask with; None: the request's own, while it is known.
        is_upstream: Whether ``base_url`` is the server the exchange itself was with. If not, the
            request's credential is never sent there.

    Raises:
        ConfigurationError: ``base_url`` is no http or https address, or no header can carry the key.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        base_url: str = DEFAULT_BASE_URL,
        api_key: str | None = None,
        is_upstream: bool = False,
        timeout: timedelta = ANSWER_WITHIN,
    ) -> None:
        if api_key and not (api_key.isascii() and api_key.isprintable()):
            raise ConfigurationError("The extraction API key has characters that no header can carry.")
        self._model = model
        self._api_key = api_key
        self._is_upstream = is_upstream
        self._server = MistralServer(base_url, seconds=timeout.total_seconds(), answer_bytes=ANSWER_BYTES)

    async def ask(
        self, messages: Messages, schema: AnswerSchema, asker: Asker, most_tokens: int | None = None
    ) -> ModelAnswer:
        """Return the model's answer; in exactly the requested form if the SDK could parse it.

        Raises:
            ExtractorUnusableError: No credential is left or it is refused, or the server refuses the call.
            InvalidExtractionError: The answer is too large.
            ExtractorTimeoutError: The server is too slow.
            ExtractorError: It can't be reached, is too busy or broken.
        """
        credential = credential_for(asker, api_key=self._api_key, is_upstream=self._is_upstream)
        call = MistralCall(self._server, credential)
        is_over = False
        try:
            most = max(1, int(asker.share * min(_ANSWER_TOKENS, most_tokens or _ANSWER_TOKENS)))
            parsed = await self._parsed(call, messages, schema, most)
            is_over = True
        except MistralAnswerTooLargeError:
            raise InvalidExtractionError("The extraction model's answer is too large.") from None
        except MistralStatusError as error:
            is_over = error.status not in BEGUN
            raise refusal(error.status, has_key=bool(self._api_key)) from None
        except MistralCallError as error:
            is_over = str(error) in _NOT_SENT
            if isinstance(error, MistralUnreachableError) and error.was_slow:
                raise ExtractorTimeoutError(
                    "The extraction model did not finish its answer in time."
                ) from None
            raise ExtractorError(f"The extraction model can't be reached: {error}.") from None
        finally:
            if not is_over:  # cancelled or not; of the answer nothing is known before it is whole
                spend(tokens_of(messages))
        answer = read_completion(call.content or b"", messages, self._model)
        spend(answer.tokens)
        return answer if parsed is None else replace(answer, text=parsed)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._server.aclose()

    async def _parsed(
        self, call: MistralCall, messages: Messages, schema: AnswerSchema, most_tokens: int
    ) -> str | None:
        """Return the answer as the SDK parsed it, as JSON; None if it parsed none."""
        try:
            completion = await call.sdk.chat.parse_async(
                schema.form,
                model=self._model,
                messages=[dict(message) for message in messages],
                temperature=0,
                max_tokens=most_tokens,
                retries=None,  # the caller tries again, later
            )
        except MistralCallError:
            raise
        except Exception as error:  # noqa: BLE001 - the SDK stumbles over answers in many ways, and quotes them
            if call.content is None:
                raise ExtractorError(f"The Mistral SDK failed: {type(error).__name__}.") from None
            return None
        message = completion.choices[0].message if completion.choices else None
        return None if message is None or message.parsed is None else message.parsed.model_dump_json()
