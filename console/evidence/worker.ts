/** The verifier in a worker: the page goes on while a long session is verified [console.verify]. */
import { type TrustedKeys, verified } from './verify.ts';

export interface Question extends TrustedKeys {
  readonly bundle: string | Uint8Array;
}
export type VerifierMessage =
  | { readonly entries: number }
  | { readonly verification: Awaited<ReturnType<typeof verified>> }
  | { readonly fault: string };

/** Progress is reported after so many entries. */
const every = 5_000;

const tell = (sent: VerifierMessage) => postMessage(sent);

addEventListener('message', ({ data }: MessageEvent<Question>) => {
  verified(data.bundle, data, (entries) => {
    if (entries % every === 0) tell({ entries });
  }).then(
    (verification) => tell({ verification }),
    (cause: unknown) => tell({ fault: cause instanceof Error ? cause.message : String(cause) }),
  );
});
