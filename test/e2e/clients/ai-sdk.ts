/** The AI SDK with its OpenAI provider, unchanged except for the base URL. */
import { createOpenAI } from '@ai-sdk/openai';
import { embed, generateText, isStepCount, Output, streamText, tool } from 'ai';
import * as z from 'zod';
import { gateway, outcome, report } from './results.ts';

const openai = createOpenAI({ baseURL: gateway.url, apiKey: gateway.key });
const model = openai('gpt-client');
const weather = tool({
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `sunny in ${city}`,
});

await outcome('text', async () => {
  const { text, usage } = await generateText({ model, prompt: 'hello', maxRetries: 0 });
  return { text, usage: { input: usage.inputTokens, output: usage.outputTokens } };
});
await outcome('chat', async () => (await generateText({ model: openai.chat('gpt-client'), prompt: 'hello' })).text);
await outcome('stream', async () => {
  const pieces: string[] = [];
  for await (const piece of streamText({ model, prompt: 'hello' }).textStream) pieces.push(piece);
  return pieces;
});
await outcome('tool', async () => {
  const asked = { model, prompt: 'weather in Oslo', tools: { weather }, stopWhen: isStepCount(3) };
  const { text, steps } = await generateText(asked);
  return { text, results: steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output)) };
});
await outcome('structured', async () => {
  const output = Output.object({ schema: z.object({ city: z.string() }) });
  return (await generateText({ model, prompt: 'as json', output })).output;
});
await outcome('embedding', async () => {
  const { embedding } = await embed({ model: openai.embedding('mock-embedding'), value: 'hello' });
  return embedding.length;
});
await outcome('blocked', () => generateText({ model, prompt: 'about project bluebird', maxRetries: 0 }));
report();
