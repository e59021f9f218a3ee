// The Ollama SDK for JavaScript asks a question, in the way that the first argument names. Never: asserts.
// What to ask comes as JSON on the standard input; what came is told as JSON on the standard output.

import { text } from "node:stream/consumers";

import { Ollama } from "ollama";

const task = JSON.parse(await text(process.stdin));
const headers = { ...task.headers, Authorization: `Bearer ${task.key}` };
const client = new Ollama({ host: task.address, headers });
const messages = [{ role: "user", content: task.question }];

async function pieces(answer, read) {
  const said = [];
  for await (const part of answer) {
    if (read(part)) said.push(read(part));
  }
  return { said };
}

async function failure(work) {
  try {
    await work();
  } catch (error) {
    return { name: error.name, status: error.status_code, told: error.message };
  }
  return {};
}

const ways = {
  chat: async () => ({ said: (await client.chat({ model: "scripted", messages })).message.content }),
  stream: async () =>
    pieces(await client.chat({ model: "scripted", messages, stream: true }), (part) => part.message.content),
  generate: async () => ({ said: (await client.generate({ model: "scripted", prompt: task.question })).response }),
  "streamed-generate": async () =>
    pieces(await client.generate({ model: "scripted", prompt: task.question, stream: true }), (part) => part.response),
  pull: () => failure(() => client.pull({ model: "scripted" })),
};

process.stdout.write(JSON.stringify(await ways[process.argv[2]]()));
