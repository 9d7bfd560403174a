/** The verifier in a worker, so that the page stays responsive while a long session is verified [console.verify]. */
import './no-eval.ts';
import type { Verification } from '#core/contracts/evidence.ts';
import { logTrustOf } from '#core/evidence/transparency/witness-keys.ts';
import { verifyStreamedBundle } from '#core/evidence/verify-streamed.ts';
import { blobBytes } from './blob-bytes.ts';
import type { TrustedKeys } from './verify.ts';

export interface Question extends TrustedKeys {
  readonly bundle: Blob;
}
export type VerifierMessage =
  | { readonly entries: number }
  | { readonly verification: Verification }
  | { readonly fault: string };

/** Number of entries between two progress reports. */
const every = 5_000;

const tell = (sent: VerifierMessage) => postMessage(sent);

async function verification({ bundle, trustedKey, logKeys }: Question): Promise<Verification> {
  let entries = 0;
  const onEntry = () => {
    if (++entries % every === 0) tell({ entries });
  };
  return verifyStreamedBundle(() => blobBytes(bundle), {
    trustedPublicKey: trustedKey,
    onEntry,
    log: logTrustOf(logKeys),
  });
}

addEventListener('message', ({ data }: MessageEvent<Question>) => {
  verification(data).then(
    (verification) => tell({ verification }),
    (cause: unknown) => tell({ fault: cause instanceof Error ? cause.message : String(cause) }),
  );
});
