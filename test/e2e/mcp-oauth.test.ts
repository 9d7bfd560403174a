/** MCP clients that sign in on their own: the official SDK's OAuth flows, a real OIDC server and a real gateway. */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { type McpGatewayRun, mcpKeys, startMcpGateway } from '../support/mcp-gateway.ts';
import { type McpServer, startMcpServer } from '../support/mcp-servers.ts';
import { type OidcServer, signingKey, startOidc } from '../support/oidc.ts';
import { until } from './client.ts';

const redirect = 'http://127.0.0.1:1/callback';
const claims = {
  'mcp-bot': { groups: ['agents'] },
  'low-bot': { groups: ['readers'] },
  'carol@example.com': { groups: ['agents'] },
};

let server: OidcServer;
let upstream: McpServer;
let gateway: McpGatewayRun;

const wanted = (resource?: string) => ({
  upstreams: [{ name: 'fixture', url: upstream.url }],
  extra: {
    identity: {
      ...(resource !== undefined && { mcp_resource: resource }),
      oidc: [
        {
          name: 'corp',
          issuer: server.issuer,
          audiences: [resource ?? 'none', 'https://chat.test'],
          callers: [
            { when: { groups: ['agents'] }, tenant: 'default', role: 'operator' },
            { when: { groups: ['readers'] }, tenant: 'default', role: 'viewer' },
            { when: { scope: ['mcp:use'] }, tenant: 'default', role: 'operator' },
          ],
        },
      ],
    },
  },
});
const metadata = async () => {
  const answer = await fetch(`${gateway.ready.mcp_url}/.well-known/oauth-protected-resource/mcp`);
  return (await answer.json()) as { resource: string; authorization_servers?: string[] };
};

beforeAll(async () => {
  const keys = [await signingKey('mcp-key')];
  [server, upstream] = await Promise.all([
    startOidc({ keys, clients: ['mcp-bot', 'low-bot'], claims }),
    startMcpServer(),
  ]);
  gateway = await startMcpGateway(wanted());
  gateway.configure(wanted(gateway.url)); // its port is known at this point
  const token = await server.token('mcp-bot', gateway.url);
  await until('the configuration with the resource', async () => (await whoami(token)).name);
});
afterAll(async () => {
  await Promise.all([server?.stop(), upstream?.stop(), gateway?.stop()]);
});

const whoami = async (token: string) => {
  const answer = await fetch(`${gateway.admin}/admin/v1/whoami`, { headers: { authorization: `Bearer ${token}` } });
  return (await answer.json()) as { name: string; kind: string };
};

test('[identity.oidc-mcp] metadata names the resource and its issuers, and a 401 refers to it', async () => {
  expect(await metadata()).toEqual({
    resource: gateway.url,
    resource_name: 'Agent Governance Gateway',
    authorization_servers: [server.issuer],
    bearer_methods_supported: ['header'],
  });
  const throughEdge = await new Promise((resolve, reject) => {
    const ca = readFileSync(gateway.ready.edge_certificate!);
    const asked = request(`${gateway.ready.edge_url}/mcp`, { method: 'POST', ca, agent: false });
    asked.once('response', (answer) => resolve(answer.resume().headers['www-authenticate'])).once('error', reject);
    asked.end('{}');
  });
  expect(throughEdge).toBe(`Bearer resource_metadata="${gateway.ready.mcp_url}/.well-known/oauth-protected-resource"`);
  const challenge = async (authorization?: string) => {
    const answer = await fetch(gateway.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
      body: '{}',
    });
    return [answer.status, answer.headers.get('www-authenticate')];
  };
  const pointer = `Bearer resource_metadata="${gateway.ready.mcp_url}/.well-known/oauth-protected-resource"`;
  expect(await challenge()).toEqual([401, pointer]);
  // A token for another resource of the same gateway is valid there, but not here.
  const token = await server.token('mcp-bot', 'https://chat.test');
  expect((await whoami(token)).name).toBe('mcp-bot');
  const refused = `${pointer}, error="invalid_token", error_description="Not authenticated: the token is not for ${gateway.url}; ask the issuer for one with this audience."`;
  expect(await challenge(`Bearer ${token}`)).toEqual([401, refused]);
  const low = await challenge(`Bearer ${await server.token('low-bot', gateway.url)}`);
  const step = pointer.replace('Bearer ', 'Bearer error="insufficient_scope", scope="mcp:use", ');
  expect(low).toEqual([403, step]);
});

test('[identity.oidc-mcp] an agent finds the issuer from the 401, gets a token with client credentials and calls tools', async () => {
  const authProvider = new ClientCredentialsProvider({
    clientId: 'mcp-bot',
    clientSecret: 'secret-of-mcp-bot',
    scope: 'gateway',
    expectedIssuer: server.issuer,
  });
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url), { authProvider }));
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  await client.close();
  expect(await whoami(authProvider.tokens()!.access_token)).toMatchObject({ name: 'mcp-bot', kind: 'agent' });
});

test('[identity.oidc-mcp] a client registers itself, a person signs in with authorization code and PKCE, and tools can be called', async () => {
  const provider = new Headless();
  const url = new URL(gateway.url);
  const transport = new StreamableHTTPClientTransport(url, { authProvider: provider });
  const client = new Client({ name: 'console', version: '1' });
  await expect(client.connect(transport)).rejects.toThrow('Unauthorized');
  expect(provider.asked?.searchParams.get('code_challenge_method')).toBe('S256');
  expect(provider.asked?.searchParams.get('resource')).toBe(gateway.url);
  await transport.finishAuth(await signIn(provider.asked!, 'carol@example.com'));
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }));
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  await client.close();
});

test('[identity.oidc-mcp] keys continue to work alongside tokens', async () => {
  const client = new Client({ name: 'keyed', version: '1' });
  const requestInit = { headers: { 'x-api-key': mcpKeys.agent } };
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url), { requestInit }));
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  await client.close();
});

/** Sign-in state that a client keeps, without a browser. */
class Headless implements OAuthClientProvider {
  asked: URL | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = '';
  readonly redirectUrl = redirect;
  readonly clientMetadata = {
    client_name: 'console',
    redirect_uris: [redirect],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
    scope: 'gateway',
  };
  clientInformation = () => this.#client;
  tokens = () => this.#tokens;
  codeVerifier = () => this.#verifier;
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.#client = client;
  }
  saveTokens(tokens: OAuthTokens) {
    this.#tokens = tokens;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  redirectToAuthorization(url: URL) {
    this.asked = url;
  }
}

/** Submits the server's login and consent pages as a browser would. @returns the authorization code. */
async function signIn(start: URL, login: string): Promise<string> {
  const jar = new Map<string, string>();
  let url = start.href;
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 12; step++) {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      jar.set(name, value);
    }
    const location = answer.headers.get('location');
    form = undefined;
    if (location === null) {
      const page = await answer.text();
      url = new URL(/<form[^>]*action="([^"]+)"/.exec(page)?.[1] ?? '', url).href;
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? '';
      form = new URLSearchParams({ prompt, ...(prompt === 'login' && { login, password: 'any' }) });
    } else {
      url = new URL(location, url).href;
      const code = url.startsWith(redirect) && new URL(url).searchParams.get('code');
      if (code) return code;
    }
  }
  throw new Error(`the sign-in ended at ${url}`);
}
