/**
 * Reviews as developers see them through each library: every call style, with a prompt that is approved, denied or left
 * pending. RUNS lists the review modes, each with a gateway and a key that use it.
 */
import { inspect } from 'node:util';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { Agent, Runner, setTracingDisabled } from '@openai/agents-core';
import { OpenAIProvider } from '@openai/agents-openai';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { outcome, report } from './results.ts';

interface Run {
  readonly mode: string;
  readonly url: string;
  readonly key: string;
  readonly fates: readonly string[];
  /** Part of the names of the call styles to try; if absent, all. */
  readonly ways?: string;
  /** Option to repeat a call until a decision is made. */
  readonly askAgain?: boolean;
}

const model = 'gpt-client';
setTracingDisabled(true);
const agent = new Agent({ name: 'plain', model });
const user = (content: string) => [{ role: 'user' as const, content }];

async function joined(parts: AsyncIterable<string | null | undefined>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part ?? '';
  return text;
}
async function* map<A>(parts: AsyncIterable<A>, text: (part: A) => string | null | undefined) {
  for await (const part of parts) yield text(part);
}

type Way = (prompt: string) => Promise<string | null | undefined>;

/** Returns the call styles; each returns the text of a response, or throws the library's error. */
function waysOf({ url, key }: Run): Record<string, Way> {
  const headers = { 'x-session-id': 'reviews' };
  const patient = { maxRetries: 2, timeout: 60_000 };
  const baseURL = `${url}/v1`;
  const openai = new OpenAI({ baseURL, apiKey: key, defaultHeaders: headers, ...patient });
  const anthropic = new Anthropic({ baseURL: url, apiKey: key, defaultHeaders: headers, ...patient });
  const vercel = createOpenAI({ baseURL, apiKey: key, headers });
  const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient: openai }) });
  return {
    openai: async (prompt) =>
      (await openai.chat.completions.create({ model, messages: user(prompt) })).choices[0]!.message.content,
    'openai, streamed': async (prompt) =>
      joined(
        map(
          await openai.chat.completions.create({ model, messages: user(prompt), stream: true }),
          (chunk) => chunk.choices[0]?.delta.content,
        ),
      ),
    'openai responses': async (prompt) => (await openai.responses.create({ model, input: prompt })).output_text,
    'openai responses, streamed': async (prompt) =>
      joined(
        map(await openai.responses.create({ model, input: prompt, stream: true }), (event) =>
          event.type === 'response.output_text.delta' ? event.delta : '',
        ),
      ),
    anthropic: async (prompt) => {
      const [block] = (await anthropic.messages.create({ model, max_tokens: 99, messages: user(prompt) })).content;
      return block!.type === 'text' ? block!.text : undefined;
    },
    'anthropic, streamed': async (prompt) =>
      anthropic.messages.stream({ model, max_tokens: 99, messages: user(prompt) }).finalText(),
    'ai sdk': async (prompt) => (await generateText({ model: vercel(model), prompt })).text,
    'ai sdk, streamed': async (prompt) => streamed(streamText({ model: vercel(model), prompt, onError: () => {} })),
    'ai sdk chat': async (prompt) => (await generateText({ model: vercel.chat(model), prompt })).text,
    'ai sdk chat, streamed': async (prompt) =>
      streamed(streamText({ model: vercel.chat(model), prompt, onError: () => {} })),
    'openai agents': async (prompt) => (await runner.run(agent, prompt)).finalOutput,
    'openai agents, streamed': async (prompt) => {
      const run = await runner.run(agent, prompt, { stream: true });
      const text = await joined(run.toTextStream() as unknown as AsyncIterable<string>);
      await run.completed;
      return text;
    },
  };
}

/** Reads a stream in which errors arrive as parts. */
async function streamed({ fullStream }: ReturnType<typeof streamText>): Promise<string> {
  let text = '';
  for await (const part of fullStream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') text += part.text;
  }
  return text;
}

type Seen = { text: string | null | undefined } | { status: number | undefined; message: string; shown: string };

/** Returns the error's status and message, and everything else a developer finds in it. */
async function seen(ask: () => Promise<string | null | undefined>): Promise<Seen> {
  try {
    return { text: await ask() };
  } catch (thrown) {
    const { status, statusCode, message } = thrown as { status?: number; statusCode?: number; message: string };
    return { status: status ?? statusCode, message, shown: inspect(thrown, { depth: 6, maxStringLength: 4000 }) };
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const isWaiting = (now: Seen) => ('text' in now ? !now.text : /pending_approval|needs approval/.test(now.shown));
const runs: readonly Run[] = JSON.parse(process.env.RUNS ?? '[]');

await Promise.all(
  runs.flatMap((run) =>
    Object.entries(waysOf(run))
      .filter(([way]) => way.includes(run.ways ?? ''))
      .flatMap(([way, ask]) =>
        run.fates.map((fate) =>
          outcome(`${run.mode}: ${way}: ${fate}`, async () => {
            const attempt = () => seen(() => ask(`launch the rocket (${way}), ${fate} this`));
            const first = await attempt();
            let after = first;
            while (run.askAgain && fate !== 'leave' && isWaiting(after)) {
              await pause(500);
              after = await attempt();
            }
            return { first, after };
          }),
        ),
      ),
  ),
);
report();
