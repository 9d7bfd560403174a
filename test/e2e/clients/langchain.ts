/** LangChain's OpenAI models, unchanged except for the base URL. */
import { HumanMessage, type ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import * as z from 'zod';
import { gateway, outcome, report } from './results.ts';

const common = { apiKey: gateway.key, configuration: { baseURL: gateway.url }, maxRetries: 0 };
const chat = (more = {}) => new ChatOpenAI({ model: 'gpt-client', ...common, ...more });
const weather = tool(async ({ city }: { city: string }) => `sunny in ${city}`, {
  name: 'weather',
  description: 'The weather of a city',
  schema: z.object({ city: z.string() }),
});

await outcome('text', async () => {
  const { text, usage_metadata } = await chat().invoke('hello');
  const usage = usage_metadata as { input_tokens?: number; output_tokens?: number } | undefined;
  return { text, usage: { input: usage?.input_tokens, output: usage?.output_tokens } };
});
await outcome('responses', async () => (await chat({ useResponsesApi: true }).invoke('hello')).text);
await outcome('stream', async () => {
  const pieces: string[] = [];
  for await (const { text } of await chat().stream('hello')) if (text !== '') pieces.push(text);
  return pieces;
});
await outcome('tool', async () => {
  const model = chat().bindTools([weather]);
  const question = new HumanMessage('weather in Oslo');
  const asked = await model.invoke([question]);
  const results = (await Promise.all((asked.tool_calls ?? []).map((call) => weather.invoke(call)))) as ToolMessage[];
  const { text } = await model.invoke([question, asked, ...results]);
  return { text, results: results.map(({ content }) => content) };
});
await outcome('structured', () =>
  chat()
    .withStructuredOutput(z.object({ city: z.string() }), { name: 'place', method: 'jsonSchema' })
    .invoke('as json'),
);
await outcome('embedding', async () => {
  const embeddings = new OpenAIEmbeddings({ model: 'mock-embedding', ...common });
  return (await embeddings.embedDocuments(['hello', 'there'])).map((vector) => vector.length);
});
await outcome('blocked', () => chat().invoke('about project bluebird'));
report();
