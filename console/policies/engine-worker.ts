/** The playground's engine in a worker, so that typing is not blocked while a long policy is analysed. */
import { type Base, type Engine, engineOf, type Question } from './engine.ts';

/** The first message contains the version, and each later one a question. */
export type Message = { readonly base: Base } | Question;

let engine: Engine | undefined;

addEventListener('message', async ({ data }: MessageEvent<Message>) => {
  if ('base' in data) engine = engineOf(data.base);
  else postMessage(await engine?.(data));
});
