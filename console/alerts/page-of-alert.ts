/** The page where a person acts on an alert. */
import type { AnswerOf } from '#core/operations/endpoints.ts';
import type { Page } from '../page-names.ts';

type Alert = Pick<AnswerOf<'listAlerts'>['alerts'][number], 'type' | 'dimension' | 'metric'>;

/** Page for each system alert's metric; other alerts lead to the health page. */
const bySystemMetric: Readonly<Record<string, Page>> = {
  break_glass: 'policies',
  guards_disabled: 'policies',
  configuration_file: 'policies',
  rejected_credentials: 'keys',
  refused_plugins: 'plugins',
};

export function pageOfAlert({ type, dimension, metric }: Alert): Page {
  switch (type) {
    case 'approval':
      return 'approvals';
    case 'budget':
      return 'budgets';
    case 'evidence':
      return 'evidence';
    case 'system':
      return bySystemMetric[metric] ?? 'health';
    default:
      return dimension.startsWith('provider:') ? 'providers' : 'traffic';
  }
}
