/** The person who votes with a Slack account. */
import type { Principal } from '#core/configuration/identity/principal.ts';
import { type People, voterOf } from '#core/configuration/identity/separation-of-duties.ts';

/**
 * Returns the principal for a vote cast with a Slack button.
 * @param tenant the approval's tenant, or undefined for an unknown approval, which the caller reports.
 * @throws GatewayError `forbidden` without a mapped person or the role to vote, `not_found` in another tenant.
 */
export const slackVoter = (snapshot: People, team: string, user: string, tenant: string | undefined): Principal =>
  voterOf(
    snapshot,
    snapshot.configuration.people.find(({ slack_id }) => slack_id === `${team}/${user}`),
    { name: 'Slack', member: 'slack_id', key_id: `slack:${team}/${user}` },
    tenant,
  );
