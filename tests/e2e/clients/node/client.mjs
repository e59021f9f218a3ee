// The OpenAI Node SDK asks a question, in the way that the first argument names. Never: asserts.
// What to ask comes as JSON on the standard input; what came is told as JSON on the standard output.

import net from "node:net";
import { text } from "node:stream/consumers";

import OpenAI from "openai";
import { OpenAIRealtimeWebSocket } from "openai/realtime/websocket";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import WebSocket from "ws";

const task = JSON.parse(await text(process.stdin));
const messages = [{ role: "user", content: task.question }];
const chat = { model: "scripted", messages, temperature: 0.5 };

function sdk(options = {}) {
  return new OpenAI({
    baseURL: `${task.address}/v1`,
    apiKey: task.key,
    defaultHeaders: task.headers,
    maxRetries: 0,
    ...options,
  });
}

async function wholeChat(client) {
  const { data, response } = await client.chat.completions.create(chat).withResponse();
  return { said: data.choices[0].message.content, memories: response.headers.get("x-recollect-memories") };
}

async function streamedChat(client) {
  const said = [];
  for await (const chunk of await client.chat.completions.create({ ...chat, stream: true })) {
    const piece = chunk.choices[0]?.delta?.content;
    if (piece) said.push(piece);
  }
  return { said };
}

async function helpedStream(client) {
  const said = [];
  const stream = client.chat.completions.stream(chat).on("content", (piece) => said.push(piece));
  return { said, final: await stream.finalContent() };
}

async function wholeResponse(client) {
  const { data, response } = await client.responses
    .create({ model: "scripted", input: task.question })
    .withResponse();
  return { said: data.output_text, memories: response.headers.get("x-recollect-memories") };
}

async function streamedResponse(client) {
  const said = [];
  const request = { model: "scripted", input: task.question, stream: true };
  let final = null;
  for await (const event of await client.responses.create(request)) {
    if (event.type === "response.output_text.delta") said.push(event.delta);
    if (event.type === "response.completed") final = event.response.output[0].content[0].text;
  }
  return { said, final };
}

async function failedChat(client) {
  try {
    await client.chat.completions.create(chat);
  } catch (error) {
    return {
      name: error.constructor.name,
      isOfTheSdk: error instanceof OpenAI.APIError,
      status: error.status,
      code: error.code,
      memories: error.headers?.get("x-recollect-memories") ?? null,
      failed: error.headers?.get("x-recollect-error") ?? null,
    };
  }
  return null;
}

// The SDK insists on TLS for realtime (wss://); what is before us ends that in practice.
const plainly = { createConnection: ({ host, port }) => net.connect(port, host) };

function converse(connection) {
  return new Promise((resolve, reject) => {
    const said = [];
    connection.on("session.created", () => connection.send({ type: "response.create", response: {} }));
    connection.on("response.output_text.delta", (event) => said.push(event.delta));
    connection.on("response.done", () => {
      connection.socket.addEventListener("close", (event) => resolve({ said, code: event.code }));
      connection.close({ code: 1000, reason: "OK" });
    });
    connection.on("error", reject);
  });
}

function realtime(client) {
  const options = { ...plainly, headers: task.headers };
  return converse(new OpenAIRealtimeWS({ model: "scripted", options }, client));
}

function browserRealtime() {
  globalThis.WebSocket = WebSocket; // what browsers have; they send no headers, only subprotocols
  const client = sdk({ dangerouslyAllowBrowser: true });
  const onURL = (url) => {
    url.protocol = "ws";
  };
  return converse(new OpenAIRealtimeWebSocket({ model: "scripted", onURL }, client));
}

const ways = {
  chat: wholeChat,
  stream: streamedChat,
  helper: helpedStream,
  retries: (_) => wholeChat(sdk({ maxRetries: 2 })),
  response: wholeResponse,
  "streamed-response": streamedResponse,
  error: failedChat,
  realtime,
  "browser-realtime": browserRealtime,
};

process.stdout.write(JSON.stringify(await ways[process.argv[2]](sdk())));
