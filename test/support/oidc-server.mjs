/**
 * A real OIDC server for tests, in its own process: `oidc-provider` over HTTP on loopback. Its argument is JSON: port
 * (0 for a free one), keys (private JWKs), clients, claims of access tokens by client or account.
 */
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const { port = 0, keys, clients, claims = {} } = JSON.parse(process.argv[2]);

const server = createServer({ keepAliveTimeout: 0 }, (request, response) => handle(request, response));
let handle;
server.listen(port, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients,
    jwks: { keys },
    cookies: { keys: ['a-secret-of-a-test'] },
    scopes: ['openid', 'offline_access', 'gateway'],
    pkce: { required: () => true },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    extraTokenClaims: (_, token) => ({ ...claims[token.clientId], ...claims[token.accountId] }),
    features: {
      devInteractions: { enabled: true },
      clientCredentials: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, audience) => ({
          scope: 'gateway',
          audience,
          accessTokenTTL: 600,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: keys[0].alg } },
        }),
      },
    },
  });
  handle = provider.callback();
  process.stdout.write(`${JSON.stringify({ event: 'ready', issuer })}\n`);
});
