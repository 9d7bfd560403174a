/** Sends questions to the engine in its worker. A new question cancels the one in progress. */
import { ownWorker } from '../own-worker.ts';
import type { Base, EngineAnswer, Question } from './engine.ts';
import type { Message } from './engine-worker.ts';

export interface EngineClient {
  /** Returns undefined if another question arrived before the answer. */
  evaluate(question: Question): Promise<EngineAnswer | undefined>;
  end(): void;
}

/** Time after which the question goes to the gateway instead, which has its own limits. */
const longestMs = 60_000;

export function engineClient(base: Base): EngineClient {
  let worker: Worker | undefined;
  let giveUp: (() => void) | undefined;
  const end = () => {
    worker?.terminate();
    worker = undefined;
  };
  const started = (): Worker => {
    const fresh = ownWorker('engine');
    fresh.postMessage({ base } satisfies Message);
    return fresh;
  };
  const evaluate: EngineClient['evaluate'] = (question) => {
    giveUp?.();
    worker ??= started();
    const asked = worker;
    return new Promise<EngineAnswer | undefined>((resolve) => {
      const answered = (found: EngineAnswer | undefined) => {
        clearTimeout(timer);
        giveUp = undefined;
        resolve(found);
      };
      const stopped = (found: EngineAnswer | undefined) => {
        end();
        answered(found);
      };
      const timer = setTimeout(() => stopped({ gateway: 'The browser took too long.' }), longestMs);
      giveUp = () => stopped(undefined);
      asked.onmessage = ({ data }: MessageEvent<EngineAnswer>) => answered(data);
      asked.onerror = () => stopped({ gateway: 'The engine could not be loaded.' });
      asked.postMessage(question satisfies Message);
    });
  };
  return {
    evaluate,
    end: () => {
      giveUp?.();
      end();
    },
  };
}
