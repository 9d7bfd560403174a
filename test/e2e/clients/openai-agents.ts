/** The OpenAI Agents SDK, pointed at the gateway. Its traces go to OpenAI by default, so they are disabled. */
import { Agent, Runner, setTracingDisabled, tool } from '@openai/agents-core';
import { OpenAIProvider } from '@openai/agents-openai';
import OpenAI from 'openai';
import * as z from 'zod';
import { gateway, outcome, report } from './results.ts';

setTracingDisabled(true);
const openAIClient = new OpenAI({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 });
const runner = (useResponses: boolean) =>
  new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses }) });
const model = 'gpt-client';
const plain = new Agent({ name: 'plain', instructions: 'Be brief.', model });
const weather = tool({
  name: 'weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `sunny in ${city}`,
});
const helper = new Agent({ name: 'helper', instructions: 'Use the tool.', model, tools: [weather] });

await outcome('text', async () => (await runner(true).run(plain, 'hello')).finalOutput);
await outcome('chat', async () => (await runner(false).run(plain, 'hello')).finalOutput);
await outcome('stream', async () => {
  const pieces: string[] = [];
  const streamed = await runner(true).run(plain, 'hello', { stream: true });
  for await (const piece of streamed.toTextStream()) pieces.push(piece);
  await streamed.completed;
  return pieces;
});
await outcome('tool', async () => {
  const { finalOutput, newItems } = await runner(true).run(helper, 'weather in Oslo');
  const results = newItems.flatMap((item) => (item.type === 'tool_call_output_item' ? [item.output] : []));
  return { text: finalOutput, results };
});
await outcome('structured', async () => {
  const structured = new Agent({ name: 'structured', model, outputType: z.object({ city: z.string() }) });
  return (await runner(true).run(structured, 'as json')).finalOutput;
});
await outcome('blocked', () => runner(true).run(plain, 'about project bluebird'));
report();
