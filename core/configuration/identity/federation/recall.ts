/** Looks up an issuer's stored caller without the token, for rows that outlive a request. */
import type { Configuration } from '#core/contracts/config.ts';
import { awsProvider, type FederatedCaller } from '#core/contracts/federated.ts';
import { asGatewayError } from '#core/kernel/errors.ts';
import type { Identities } from '../identities.ts';
import type { Principal } from '../principal.ts';

interface ConfiguredIdentities {
  readonly configuration: Configuration;
  readonly identities: Identities;
}

/**
 * Returns the principal of a key id in the active configuration, or undefined if the key was revoked, or if its issuer,
 * person, subject or tenant was removed [auth.revoked-key].
 * @param federated the caller stored in the row; the calling code checks the token's expiry.
 */
export async function recall(
  { configuration, identities }: ConfiguredIdentities,
  keyId: string,
  federated: FederatedCaller | undefined,
): Promise<Principal | undefined> {
  const known = identities.byKeyId.get(keyId);
  if (known || !federated) return known;
  try {
    if (federated.provider === awsProvider && federated.issuer.startsWith('aws:')) {
      const { awsPrincipal } = await import('./aws-caller.ts');
      const principal = awsPrincipal(federated.subject, configuration);
      return principal.key_id === keyId ? principal : undefined;
    }
    const principal = await ofIssuer(configuration, federated);
    return principal?.key_id === keyId ? principal : undefined;
  } catch (thrown) {
    const { code } = asGatewayError(thrown);
    if (code === 'forbidden' || code === 'authentication_error') return undefined;
    throw thrown;
  }
}

async function ofIssuer(configuration: Configuration, federated: FederatedCaller): Promise<Principal | undefined> {
  const provider = configuration.identity.oidc.find(
    ({ name, issuer }) => name === federated.provider && issuer === federated.issuer,
  );
  if (!provider) return undefined;
  const { principalOfClaims } = await import('./claims.ts');
  return principalOfClaims(provider, federated, configuration);
}
