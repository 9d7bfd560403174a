/** Asks the verifier in its worker. The policy of the page lets a worker start from one address alone. */
import type { Verification } from '#core/contracts/evidence.ts';
import type { Question, VerifierMessage } from './worker.ts';

interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL(text: string): string },
  ): { createScriptURL(text: string): string };
}

const script = 'verifier.js';
const { trustedTypes } = globalThis as { readonly trustedTypes?: Policies };
const policy = trustedTypes?.createPolicy('verifier', { createScriptURL: () => script });

/**
 * @param progress gets the number of entries so far, now and then.
 * @throws Error when the verifier cannot be loaded.
 */
export function verifiedInWorker(question: Question, progress: (entries: number) => void): Promise<Verification> {
  const worker = new Worker(policy?.createScriptURL(script) ?? script, { type: 'module' });
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
