/** Issues installation tokens at a Git host through GitHub's REST API. */
import { ServiceFault } from '#core/execution/credentials/fault.ts';
import type { GitHostTokens, InstallationToken } from '#core/execution/credentials/ports.ts';
import { gitHostFault, gitHostHeaders } from '#core/execution/credentials/service.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { serviceJson } from './service-json.ts';

interface GitHostOptions {
  /** @default 10 seconds */
  readonly timeoutMs?: number;
}

export function gitHostTokens({ timeoutMs = 10_000 }: GitHostOptions = {}): GitHostTokens {
  return {
    async mint({ apiUrl, appJwt, installationId, repositories, permissions }) {
      const answer = await serviceJson({
        url: `${apiUrl}/app/installations/${encodeURIComponent(installationId)}/access_tokens`,
        method: 'POST',
        headers: gitHostHeaders(appJwt),
        body: { repositories, permissions },
        timeoutMs,
      });
      if (answer.status !== 201) throw gitHostFault(answer);
      return tokenOf(answer.body);
    },

    async revoke(apiUrl, token) {
      const answer = await serviceJson({
        url: `${apiUrl}/installation/token`,
        method: 'DELETE',
        headers: gitHostHeaders(token),
        timeoutMs,
      });
      // 401: the token is already invalid, which was the goal.
      if (answer.status !== 204 && answer.status !== 401) throw gitHostFault(answer);
    },
  };
}

function tokenOf(body: Readonly<Record<string, unknown>> | undefined): InstallationToken {
  const { token, expires_at, permissions, repositories } = body ?? {};
  const dated = typeof expires_at === 'string' && !Number.isNaN(Date.parse(expires_at));
  if (typeof token !== 'string' || token === '' || !dated || !isObject(permissions))
    throw new ServiceFault('malformed', 'a response without an installation token');
  return {
    token,
    expires_at,
    permissions: Object.fromEntries(Object.entries(permissions).map(([name, level]) => [name, String(level)])),
    repositories: Array.isArray(repositories) ? repositories.map(fullName) : undefined,
  };
}

const fullName = (repository: unknown): string =>
  isObject(repository) && typeof repository.full_name === 'string' ? repository.full_name : '';
