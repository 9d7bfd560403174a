/** Token issuers' documents, fetched over HTTP with limits on time and size, and no redirects [identity.oidc-token]. */
import type { IssuerDocuments } from '#core/configuration/identity/federation/ports.ts';
import { isIssuerUrl } from '#core/configuration/identity/federation/urls.ts';

const withinMs = 5_000;
const maxBytes = 256 * 1024;

export const issuerDocuments: IssuerDocuments = {
  async json(url) {
    if (!isIssuerUrl(url)) throw new Error('an issuer URL must use HTTPS; HTTP is allowed only on this machine');
    const answer = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(withinMs),
    });
    if (!answer.ok || !answer.body) throw new Error(`the issuer answered ${answer.status}`);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of answer.body) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new Error(`the issuer's document is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  },
};
