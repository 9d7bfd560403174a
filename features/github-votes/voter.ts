/** The person who votes with a Git host account. */
import type { Principal } from '#core/configuration/identity/principal.ts';
import { type People, voterOf } from '#core/configuration/identity/separation-of-duties.ts';
import type { Person } from '#core/contracts/config.ts';

/** Returns the person to whom a Git host account is mapped, ignoring case, or undefined if there is none. */
export function personByGithubLogin({ configuration }: People, login: string): Person | undefined {
  return configuration.people.find(({ github_login }) => github_login?.toLowerCase() === login.toLowerCase());
}

/**
 * Returns the principal for a vote cast in a pull-request comment.
 * @param tenant the approval's tenant, or undefined for an unknown approval, which the caller reports.
 * @throws GatewayError `forbidden` without a mapped person or the role to vote, `not_found` in another tenant.
 */
export const githubVoter = (snapshot: People, login: string, tenant: string | undefined): Principal =>
  voterOf(
    snapshot,
    personByGithubLogin(snapshot, login),
    { name: 'Git host', member: 'github_login', key_id: `github:${login.toLowerCase()}` },
    tenant,
  );
