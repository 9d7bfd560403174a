/** Sends questions to the verifier in its worker. */
import type { Verification } from '#core/contracts/evidence.ts';
import { ownWorker } from '../own-worker.ts';
import type { Question, VerifierMessage } from './worker.ts';

/**
 * @param progress called at intervals with the number of entries verified so far.
 * @throws Error if the verifier cannot be loaded.
 */
export function verifiedInWorker(question: Question, progress: (entries: number) => void): Promise<Verification> {
  const worker = ownWorker('verifier');
  const outcome = new Promise<Verification>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<VerifierMessage>) => {
      if ('entries' in data) progress(data.entries);
      else if ('verification' in data) resolve(data.verification);
      else reject(new Error(data.fault));
    };
    worker.onerror = () => reject(new Error('The verifier could not be loaded; reload the page.'));
  });
  worker.postMessage(question);
  return outcome.finally(() => worker.terminate());
}
