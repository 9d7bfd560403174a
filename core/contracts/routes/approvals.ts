/** Routes of actions and approvals: lists, votes, passkeys, callbacks of chat and Git hosts. */
import { adminRoot, paging, type Route, route } from '../route.ts';

export const approvalRoutes: readonly Route[] = [
  route(`POST ${adminRoot}/test-action`, 'test-action', 'operator', 'testAction', 'Govern one action', {
    agents: 'yes',
  }),
  route(
    `POST ${adminRoot}/outcomes`,
    'test-action',
    'operator',
    'reportOutcome',
    'Record the outcome of a call that was decided only',
    { agents: 'yes' },
  ),
  route(`GET ${adminRoot}/approvals`, 'approvals', 'operator', 'listApprovals', 'Pending approvals', {
    agents: 'own',
    query: paging,
  }),
  route(`GET ${adminRoot}/approvals/history`, 'approvals', 'operator', 'approvalHistory', 'Decided approvals', {
    agents: 'own',
    query: ['status', ...paging],
  }),
  route(
    `GET ${adminRoot}/approvals/events`,
    'approvals',
    'operator',
    'approvalEvents',
    'Events of approvals, as server-sent events',
  ),
  route(
    `GET ${adminRoot}/approvals/{envelope_id}`,
    'approvals',
    'operator',
    'getApproval',
    'One approval item or record',
    {
      agents: 'own',
    },
  ),
  route(
    `POST ${adminRoot}/approvals/{envelope_id}/approve`,
    'approvals',
    'operator',
    'approve',
    'Approve a pending action',
    {
      humansOnly: true,
    },
  ),
  route(`POST ${adminRoot}/approvals/{envelope_id}/deny`, 'approvals', 'operator', 'deny', 'Deny a pending action', {
    humansOnly: true,
  }),
  route(`GET ${adminRoot}/passkeys`, 'approvals', 'operator', 'listPasskeys', "The caller's own passkeys", {
    humansOnly: true,
  }),
  route(`POST ${adminRoot}/passkeys`, 'approvals', 'operator', 'registerPasskey', 'Register a passkey', {
    humansOnly: true,
  }),
  route(
    `POST ${adminRoot}/passkeys/challenge`,
    'approvals',
    'operator',
    'passkeyChallenge',
    'Begin to register a passkey',
    {
      humansOnly: true,
    },
  ),
  route(`DELETE ${adminRoot}/passkeys/{id}`, 'approvals', 'operator', 'removePasskeyById', 'Remove a passkey', {
    humansOnly: true,
  }),
  route('POST /callbacks/slack', 'approval-callback', 'signed', 'slackCallback', 'Votes by Slack button', {
    surface: 'callbacks',
  }),
  route('POST /callbacks/github', 'approval-callback', 'signed', 'githubCallback', 'Votes by pull-request comment', {
    surface: 'callbacks',
  }),
];
