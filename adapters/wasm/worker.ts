/** The worker thread of WASM filters: answers one call after the other. It is ended from outside if one is late. */
import { parentPort } from 'node:worker_threads';
import { type CheckCall, type CheckResult, check } from './check.ts';

export type WorkerAnswer = { readonly result: CheckResult } | { readonly error: string };

parentPort?.on('message', (call: CheckCall) => parentPort?.postMessage(answer(call)));
parentPort?.postMessage('ready');

function answer(call: CheckCall): WorkerAnswer {
  try {
    return { result: check(call) };
  } catch (thrown) {
    return { error: (thrown as Error).message };
  }
}
