// A typed client of Recollect's memory API. Paths, queries, bodies and answers have the types of its OpenAPI document.
import createClient from "openapi-fetch";

/** A refusal of the server: `code` is for programs, `message` for people. */
export class RecollectError extends Error {
  constructor(status, problem) {
    super(problem?.error?.message ?? `The server answered ${status}.`);
    Object.assign(this, { name: "RecollectError", status, code: problem?.error?.code, field: problem?.error?.field });
  }
}

export function createRecollect({ url, token, fetch = globalThis.fetch }) {
  const headers = { Authorization: `Bearer ${token}` };
  const client = createClient({ baseUrl: url, headers, fetch });
  client.use({
    async onResponse({ response }) {
      if (!response.ok) throw new RecollectError(response.status, await response.json().catch(() => null));
    },
  });
  return Object.assign(client, { events });

  // Yield a user's events, as they happen, until the user is erased or `signal` ends it. After a broken connection it goes on behind
  // the last event; keep the `id` of that to go on later.
  async function* events(userId, { project, lastEventId, signal } = {}) {
    for (let id = lastEventId; ; await new Promise((done) => setTimeout(done, 2000))) {
      const sent = { ...headers, ...(id && { "Last-Event-ID": id }) };
      if (project) sent["X-Recollect-Project"] = encodeURIComponent(project);
      try {
        const address = `${url.replace(/\/+$/, "")}/memory/users/${encodeURIComponent(userId)}/events`;
        const answer = await fetch(address, { headers: sent, signal });
        if (!answer.ok) throw new RecollectError(answer.status, await answer.json().catch(() => null));
        for await (const fields of piecesOf(answer.body)) {
          id = fields.id;
          if (!fields.data) continue; // where the stream begins
          yield { id, ...JSON.parse(fields.data) };
          if (fields.event === "user.erased") return;
        }
      } catch (error) {
        if (signal?.aborted) return;
        // 429: the server may not know yet that the connection before is gone.
        if (error instanceof RecollectError && error.status < 500 && error.status !== 429) throw error;
      }
    }
  }
}

async function* piecesOf(body) {
  let kept = "";
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const pieces = (kept + text).split("\n\n");
    kept = pieces.pop();
    for (const piece of pieces) {
      const fields = Object.fromEntries(piece.split("\n").map((line) => [line.split(": ", 1)[0], line.slice(line.indexOf(": ") + 2)]));
      if (fields.id) yield fields;
    }
  }
}
