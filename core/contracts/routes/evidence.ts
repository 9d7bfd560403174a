/** Routes of session evidence, the transparency log and the audit log. */
import { adminRoot, paging, type Route, route } from '../route.ts';

export const evidenceRoutes: readonly Route[] = [
  route(`GET ${adminRoot}/evidence/sessions`, 'evidence', 'operator', 'listSessions', 'Sessions with evidence', {
    agents: 'own',
    query: ['path', ...paging],
  }),
  route(`GET ${adminRoot}/evidence/sessions/{id}/export`, 'evidence', 'operator', 'exportSession', 'Session bundle', {
    agents: 'own',
  }),
  route(
    `GET ${adminRoot}/evidence/sessions/{id}/verify`,
    'evidence',
    'operator',
    'verifySession',
    'Verify a session chain',
    {
      agents: 'own',
      query: ['entries'],
    },
  ),
  route(
    `POST ${adminRoot}/evidence/sessions/{id}/verify`,
    'evidence',
    'operator',
    'verifySession',
    'Verify a session chain',
    {
      agents: 'own',
      query: ['entries'],
    },
  ),
  route(
    `GET ${adminRoot}/evidence/sessions/{id}/report`,
    'evidence',
    'operator',
    'markdownReport',
    'Markdown session report',
    {
      agents: 'own',
    },
  ),
  route(
    `GET ${adminRoot}/evidence/sessions/{id}/report.html`,
    'evidence',
    'operator',
    'htmlReport',
    'HTML session report',
    {
      agents: 'own',
    },
  ),
  route(
    `GET ${adminRoot}/evidence/keys`,
    'evidence',
    'operator',
    'signingKeys',
    'Public keys that evidence is signed with',
  ),
  route(
    `GET ${adminRoot}/evidence/log/checkpoint`,
    'evidence',
    'viewer',
    'logCheckpoint',
    'Checkpoint of the transparency log',
  ),
  route(
    `GET ${adminRoot}/evidence/log/consistency`,
    'evidence',
    'viewer',
    'logConsistency',
    'Proof that the log only grew',
    {
      query: ['from', 'to'],
    },
  ),
  route(`GET ${adminRoot}/evidence/log/tile`, 'evidence', 'viewer', 'logTile', 'Hashes or leaves of the log', {
    query: ['path'],
  }),
  route(
    `POST ${adminRoot}/evidence/log/cosignatures`,
    'evidence',
    'viewer',
    'addCosignature',
    'Submit the cosignature of a witness',
  ),
  route(`GET ${adminRoot}/audit`, 'evidence', 'operator', 'audit', 'Query the audit log', {
    query: ['actor', 'kind', 'session', 'tool', 'decision', 'from', 'to', 'path', ...paging],
  }),
  route(`GET ${adminRoot}/audit/verify`, 'evidence', 'admin', 'verifyAudit', "Verify a tenant's chains", {
    query: paging,
  }),
  route(`POST ${adminRoot}/audit/verify`, 'evidence', 'admin', 'verifyAudit', "Verify a tenant's chains", {
    query: paging,
  }),
  route(
    `GET ${adminRoot}/audit/in-force`,
    'evidence',
    'admin',
    'compareInForce',
    'Compare the configuration, keys, budgets and risk in force with evidence',
    { platform: true },
  ),
];
