/** The page where a person acts on an alert. */
import { pageOfAlert } from '../../../console/alerts/page-of-alert.ts';

test.each([
  ['approval', 'tenant:default', 'oldest_pending_seconds', 'approvals'],
  ['budget', 'tenant:default', 'budget', 'budgets'],
  ['evidence', 'tenant:default', 'audit_chain', 'evidence'],
  ['static_threshold', 'provider:openai', 'error_rate', 'providers'],
  ['static_threshold', 'global', 'error_rate', 'traffic'],
  ['statistical_baseline', 'model:gpt-5', 'requests', 'traffic'],
  ['system', 'global', 'rejected_credentials', 'keys'],
  ['system', 'global', 'configuration_file', 'policies'],
  ['system', 'global', 'not_measured', 'health'],
] as const)(
  '[console.alerts] an alert with type %s on %s about %s links to the page %s',
  (type, dimension, metric, page) => {
    expect(pageOfAlert({ type, dimension, metric })).toBe(page);
  },
);
