/** Requests that libraries can make and people seldom do, over both kinds of providers; each says `case <name>` in its prompt. */
import { createOpenAI } from '@ai-sdk/openai';
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { Agent, tool as agentTool, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents';
import { generateText, isStepCount, Output, streamText, tool } from 'ai';
import OpenAI from 'openai';
import * as z from 'zod';
import { gateway, outcome, report } from './results.ts';

const root = gateway.url.replace(/\/v1$/, '');
const models = { openai: 'gpt-client', anthropic: 'claude-client' } as const;
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = `data:image/png;base64,${png}`;
const long = 'All work and no play. '.repeat(4000);
const place = z.object({ city: z.string() });
const forecast = ({ city }: { city: string }) => `sunny in ${city}`;
const settled = { maxRetries: 0 };

const vercel = createOpenAI({ baseURL: gateway.url, apiKey: gateway.key });
const weather = tool({ description: 'The weather', inputSchema: place, execute: async (input) => forecast(input) });
const picture = tool({
  description: 'A picture',
  inputSchema: place,
  execute: async () => png,
  toModelOutput: ({ output }) => ({
    type: 'content',
    value: [
      { type: 'text', text: 'the picture' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: output } },
    ],
  }),
});

async function aiSdk(name: string, kind: keyof typeof models, responses: boolean): Promise<void> {
  const model = responses ? vercel(models[kind]) : vercel.chat(models[kind]);
  const at = (of: string) => `${name} ${kind} ${of}`;
  const run = (of: string, more: (prompt: string) => Promise<unknown>) =>
    outcome(at(of), () => more(`case ${at(of)}.`));
  await run('image', async (text) => {
    const content = [
      { type: 'text' as const, text },
      { type: 'file' as const, data: png, mediaType: 'image/png' },
    ];
    return (await generateText({ model, instructions: long, messages: [{ role: 'user', content }], ...settled })).text;
  });
  await run('empty', async (text) => {
    const messages = [
      { role: 'user' as const, content: text },
      { role: 'assistant' as const, content: '' },
      { role: 'user' as const, content: '' },
    ];
    return (await generateText({ model, messages, ...settled })).text;
  });
  await run('parallel tools', async (prompt) => {
    const { text, steps } = await generateText({
      model,
      prompt,
      tools: { weather },
      stopWhen: isStepCount(3),
      ...settled,
    });
    return { text, calls: steps[0]?.toolCalls.length };
  });
  await run(
    'picture tool',
    async (prompt) =>
      (await generateText({ model, prompt, tools: { picture }, stopWhen: isStepCount(3), ...settled })).text,
  );
  await run('settings', async (prompt) => {
    const asked = { model, prompt, temperature: 0.2, topP: 0.9, seed: 7, maxOutputTokens: 50, ...settled };
    const own = responses ? { user: 'ann', metadata: { a: 'b' }, store: false } : { user: 'ann' };
    return (await generateText({ ...asked, stopSequences: ['END'], providerOptions: { openai: own } })).text;
  });
  await run(
    'as json',
    async (prompt) =>
      (await generateText({ model, prompt, output: Output.object({ schema: place }), ...settled })).output,
  );
  await run('abort', async (prompt) => {
    const leaving = new AbortController();
    const { fullStream } = streamText({ model, prompt, abortSignal: leaving.signal, onError: () => {}, ...settled });
    for await (const part of fullStream) {
      if (part.type === 'text-delta') leaving.abort();
      if (part.type === 'abort') return 'aborted';
    }
    return 'ended';
  });
  await run('retries', async (prompt) => (await generateText({ model, prompt, maxRetries: 1 })).text);
}

async function langchain(kind: keyof typeof models): Promise<void> {
  const chat = (more: object = {}) =>
    new ChatOpenAI({
      model: models[kind],
      apiKey: gateway.key,
      configuration: { baseURL: gateway.url },
      ...settled,
      ...more,
    });
  const at = (of: string) => `langchain ${kind} ${of}`;
  const run = (of: string, more: (prompt: string) => Promise<unknown>) =>
    outcome(at(of), () => more(`case ${at(of)}.`));
  await run('image', async (text) => {
    const content = [
      { type: 'text', text },
      { type: 'image_url', image_url: { url: image } },
    ];
    return (await chat().invoke([new SystemMessage(long), new HumanMessage({ content } as never)])).text;
  });
  await run(
    'empty',
    async (text) => (await chat().invoke([new HumanMessage(text), new AIMessage(''), new HumanMessage('')])).text,
  );
  await run('parallel tools', async (text) => {
    const ours = langchainTool(async (input: { city: string }) => forecast(input), {
      name: 'weather',
      description: 'w',
      schema: place,
    });
    const model = chat().bindTools([ours]);
    const asked = await model.invoke([new HumanMessage(text)]);
    const results = (await Promise.all((asked.tool_calls ?? []).map((call) => ours.invoke(call)))) as ToolMessage[];
    return { text: (await model.invoke([new HumanMessage(text), asked, ...results])).text, calls: results.length };
  });
  await run('picture tool', async (text) => {
    const asked = new AIMessage({
      content: '',
      tool_calls: [{ id: 'call_1', name: 'picture', args: { city: 'Oslo' } }],
    });
    const content = [
      { type: 'text', text: 'the picture' },
      { type: 'image_url', image_url: { url: image } },
    ];
    const result = new ToolMessage({ tool_call_id: 'call_1', content } as never);
    return (await chat().invoke([new HumanMessage(text), asked, result])).text;
  });
  await run(
    'settings',
    async (text) =>
      (
        await chat({
          temperature: 0.2,
          topP: 0.9,
          stop: ['END'],
          maxTokens: 50,
          user: 'ann',
          modelKwargs: { seed: 7 },
        }).invoke(text)
      ).text,
  );
  await run('choices', async (text) =>
    (await chat({ n: 2 }).generate([[new HumanMessage(text)]])).generations[0]!.map((given) => given.text),
  );
  await run('as json', (text) =>
    chat().withStructuredOutput(place, { name: 'place', method: 'jsonSchema' }).invoke(text),
  );
  await run('abort', async (text) => {
    const leaving = new AbortController();
    for await (const part of await chat().stream(text, { signal: leaving.signal })) if (part.text) leaving.abort();
    return 'ended';
  });
  await run('retries', async (text) => (await chat({ maxRetries: 1 }).invoke(text)).text);
  await run('time-out', async (text) => (await chat({ timeout: 4000 }).invoke(text)).text);
}

async function agents(kind: keyof typeof models, responses: boolean): Promise<void> {
  const client = (more: object = {}) => new OpenAI({ baseURL: gateway.url, apiKey: gateway.key, ...settled, ...more });
  const runner = (more: object = {}) =>
    new Runner({ modelProvider: new OpenAIProvider({ openAIClient: client(more), useResponses: responses }) });
  const at = (of: string) => `agents ${responses ? 'responses' : 'chat'} ${kind} ${of}`;
  const agent = (more: object = {}) => new Agent({ name: 'a', model: models[kind], ...more });
  const run = (of: string, more: (prompt: string) => Promise<unknown>) =>
    outcome(at(of), () => more(`case ${at(of)}.`));
  const weatherTool = agentTool({
    name: 'weather',
    description: 'w',
    parameters: place,
    execute: async (input) => forecast(input),
  });
  await run('image', async (text) => {
    const content = [
      { type: 'input_text' as const, text },
      { type: 'input_image' as const, image },
    ];
    return (await runner().run(agent({ instructions: long }), [{ role: 'user', content }])).finalOutput;
  });
  await run('parallel tools', async (prompt) => {
    const { finalOutput, newItems } = await runner().run(agent({ tools: [weatherTool] }), prompt);
    return { text: finalOutput, calls: newItems.filter(({ type }) => type === 'tool_call_output_item').length };
  });
  await run('picture tool', async (prompt) => {
    const shown = agentTool({
      ...{ name: 'picture', description: 'p', parameters: place },
      execute: async () => ({ type: 'image' as const, image: { data: png, mediaType: 'image/png' } }),
    });
    return (await runner().run(agent({ tools: [shown] }), prompt)).finalOutput;
  });
  await run(
    'settings',
    async (prompt) =>
      (
        await runner().run(
          agent({ modelSettings: { temperature: 0.2, topP: 0.9, maxTokens: 50, parallelToolCalls: false } }),
          prompt,
        )
      ).finalOutput,
  );
  await run('as json', async (prompt) => (await runner().run(agent({ outputType: place }), prompt)).finalOutput);
  await run('abort', async (prompt) => {
    const leaving = new AbortController();
    const run = await runner().run(agent(), prompt, { stream: true, signal: leaving.signal });
    for await (const part of run.toTextStream()) if (part) leaving.abort();
    await run.completed;
    return 'ended';
  });
  await run('retries', async (prompt) => (await runner({ maxRetries: 1 }).run(agent(), prompt)).finalOutput);
}

/** A base URL as people write it. */
async function addresses(): Promise<void> {
  for (const [written, baseURL] of [
    ['with a slash', `${gateway.url}/`],
    ['without v1', root],
    ['with v1 twice', `${gateway.url}/v1`],
  ] as const) {
    const prompt = `case address ${written}.`;
    const ours = createOpenAI({ baseURL, apiKey: gateway.key });
    await outcome(
      `ai sdk ${written}`,
      async () => (await generateText({ model: ours('gpt-client'), prompt, ...settled })).text,
    );
    const chat = new ChatOpenAI({ model: 'gpt-client', apiKey: gateway.key, configuration: { baseURL }, ...settled });
    await outcome(`langchain ${written}`, async () => (await chat.invoke(prompt)).text);
    const openAIClient = new OpenAI({ baseURL, apiKey: gateway.key, ...settled });
    const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient }) });
    await outcome(
      `agents ${written}`,
      async () => (await runner.run(new Agent({ name: 'a', model: 'gpt-client' }), prompt)).finalOutput,
    );
  }
}

setTracingDisabled(true);
for (const kind of ['openai', 'anthropic'] as const) {
  await aiSdk('ai sdk responses', kind, true);
  await aiSdk('ai sdk chat', kind, false);
  await langchain(kind);
  await agents(kind, true);
  await agents(kind, false);
}
await addresses();
report();
