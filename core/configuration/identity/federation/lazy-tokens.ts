/**
 * Loads the code of `createTokens` when the first token arrives, so that without `identity.oidc` no function loads that
 * code or its library.
 */
import type { IssuerKeysDeps } from './issuer-keys.ts';
import type { Tokens } from './ports.ts';

export function lazyTokens(deps: IssuerKeysDeps): Tokens {
  let made: Promise<Tokens> | undefined;
  return {
    async callerOf(...given) {
      made ??= import('./tokens.ts').then(({ createTokens }) => createTokens(deps));
      return (await made).callerOf(...given);
    },
  };
}
