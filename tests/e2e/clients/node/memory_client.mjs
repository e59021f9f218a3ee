// @ts-check
// Drives clients/js, and is checked against its types.
import { readFileSync } from "node:fs";
import { createRecollect, RecollectError } from "../../../../clients/js/index.js";

/** @type {{ address: string, token: string, user: string }} */
const task = JSON.parse(readFileSync(0, "utf8"));
const recollect = createRecollect({ url: `${task.address}/`, token: task.token });
const path = { user_id: task.user };
const memories = "/memory/users/{user_id}/memories";

/** @param {string} content */
async function write(content) {
  const { data } = await recollect.POST(memories, { params: { path }, body: { content, kind: "preference" } });
  if (!data) throw new Error("no memory");
  return data.id;
}

/** @param {string | undefined} lastEventId @param {number} many */
async function events(lastEventId, many) {
  const found = [];
  for await (const event of recollect.events(task.user, { lastEventId })) {
    found.push({ place: event.id, type: event.type, memory: event.data.memory_id });
    if (found.length === many) break;
  }
  return found;
}

/** @param {Promise<unknown>} asked */
async function refusal(asked) {
  try {
    await asked;
    return null;
  } catch (error) {
    return error instanceof RecollectError ? [error.status, error.code, error.field] : String(error);
  }
}

const streamed = events(`${"0".repeat(32)}.0`, 2);
const first = await write("Likes jasmine tea");
const second = await write("Likes walks by the river");
const [begun] = await streamed;
const { data: listed } = await recollect.GET(memories, { params: { path, query: { kind: ["preference"], limit: 1 } } });
const following = await recollect.GET(memories, { params: { path, query: { after: listed?.next ?? undefined } } });
const resumed = await events(begun.place, 1);
const foreign = createRecollect({ url: task.address, token: "wrong" });

// A connection that breaks before its first event: what happens meanwhile comes with the next one.
let asked = 0;
const flaky = createRecollect({
  url: task.address,
  token: task.token,
  fetch: async (request, init) => {
    const answer = await fetch(request, init);
    if (asked++) return answer;
    const reader = answer.body?.getReader();
    const head = await reader?.read();
    await reader?.cancel();
    await write("Likes chess");
    return new Response(head?.value);
  },
});
const { value: missed } = await flaky.events(task.user).next();

const ended = events(missed?.id, 9);
await recollect.DELETE("/memory/users/{user_id}", { params: { path } });

console.log(
  JSON.stringify({
    written: [first, second],
    streamed: await streamed,
    missed: missed?.type,
    resumed,
    listed: [...(listed?.memories ?? []), ...(following.data?.memories ?? [])].map((each) => each.content),
    again: await refusal(recollect.GET("/memory/users/{user_id}/memories/{memory_id}", { params: { path: { ...path, memory_id: first } } })),
    wrongToken: await refusal(foreign.GET(memories, { params: { path } })),
    wrongField: await refusal(recollect.POST(memories, { params: { path }, body: { content: "" } })),
    ended: (await ended).map((each) => each.type),
  }),
);
