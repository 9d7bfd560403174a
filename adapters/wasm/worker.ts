/**
 * The worker thread for WASM filters, which handles one call after another. It is terminated from outside if a call
 * takes too long.
 */
import { parentPort } from 'node:worker_threads';
import { type CheckCall, type CheckResult, checkContent } from './check.ts';

export type WorkerAnswer = { readonly result: CheckResult } | { readonly error: string };

parentPort?.on('message', (call: CheckCall) => parentPort?.postMessage(answer(call)));
parentPort?.postMessage('ready');

function answer(call: CheckCall): WorkerAnswer {
  try {
    return { result: checkContent(call) };
  } catch (thrown) {
    return { error: (thrown as Error).message };
  }
}
