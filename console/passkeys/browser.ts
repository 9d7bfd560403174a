/**
 * Passkeys in the browser: creates a passkey, or signs an approval with one. Returns the browser's results in the API's
 * format.
 */

const decodeBase64url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
const encodeBase64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Returns the reason why passkeys do not work on this page; undefined if they do. */
export function unfitPage(rp: { readonly id: string; readonly origin: string }): string | undefined {
  if (location.origin !== rp.origin)
    return `Passkeys of this gateway work at ${rp.origin}/console/. Open the console there, and sign in.`;
  if (!('credentials' in navigator) || typeof PublicKeyCredential === 'undefined')
    return 'This browser cannot use passkeys here. They need HTTPS, or localhost.';
  return undefined;
}

/** The caller's own passkeys. */
export interface OwnPasskeys {
  readonly rp: { readonly id: string; readonly origin: string };
  readonly passkeys: readonly {
    readonly credential_id: string;
    readonly name: string;
    readonly registered_at: string;
  }[];
  readonly most: number;
}

export interface CreationOptions {
  readonly challenge: string;
  readonly person: string;
  readonly algorithm: number;
  readonly rp: { readonly id: string };
}

/** @throws Error with the browser's message if no passkey was created. */
export async function make(
  { challenge, person, algorithm, rp }: CreationOptions,
  name: string,
  known: readonly string[],
) {
  const made = await navigator.credentials.create({
    publicKey: {
      challenge: decodeBase64url(challenge),
      rp: { id: rp.id, name: 'Agent Governance Gateway' },
      user: { id: new TextEncoder().encode(person).slice(0, 64), name: person, displayName: person },
      pubKeyCredParams: [{ type: 'public-key', alg: algorithm }],
      authenticatorSelection: { userVerification: 'required', residentKey: 'preferred' },
      attestation: 'none',
      excludeCredentials: known.map((id) => ({ type: 'public-key', id: decodeBase64url(id) })),
    },
  });
  const { rawId, response } = made as PublicKeyCredential;
  const { clientDataJSON, attestationObject } = response as AuthenticatorAttestationResponse;
  return {
    name,
    credential_id: encodeBase64url(rawId),
    client_data_json: encodeBase64url(clientDataJSON),
    attestation_object: encodeBase64url(attestationObject),
  };
}

/** Signs with a passkey. @throws Error with the browser's message if the signature fails. */
export async function sign(challenge: string, rpId: string, ids: readonly string[]) {
  const signed = await navigator.credentials.get({
    publicKey: {
      challenge: decodeBase64url(challenge),
      rpId,
      allowCredentials: ids.map((id) => ({ type: 'public-key', id: decodeBase64url(id) })),
      userVerification: 'required',
    },
  });
  const { rawId, response } = signed as PublicKeyCredential;
  const { authenticatorData, clientDataJSON, signature } = response as AuthenticatorAssertionResponse;
  return {
    credential_id: encodeBase64url(rawId),
    authenticator_data: encodeBase64url(authenticatorData),
    client_data_json: encodeBase64url(clientDataJSON),
    signature: encodeBase64url(signature),
  };
}
