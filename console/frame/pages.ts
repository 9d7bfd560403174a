/** The pages by task, in navigation order, with their words and icons. */
import type { IconName } from '../design/icon.tsx';
import type { Page } from '../page-names.ts';

interface PageWords {
  readonly name: string;
  readonly icon: IconName;
}

export const pageWords: Readonly<Record<Page, PageWords>> = {
  approvals: { name: 'Approvals', icon: 'approval' },
  sessions: { name: 'Sessions', icon: 'session' },
  overview: { name: 'Overview', icon: 'overview' },
  traffic: { name: 'Traffic', icon: 'traffic' },
  requests: { name: 'Requests', icon: 'request' },
  alerts: { name: 'Alerts', icon: 'alert' },
  budgets: { name: 'Budgets', icon: 'budget' },
  policies: { name: 'Policies', icon: 'policy' },
  tools: { name: 'Tools', icon: 'tool' },
  servers: { name: 'Servers', icon: 'server' },
  providers: { name: 'Providers', icon: 'provider' },
  rollouts: { name: 'Rollouts', icon: 'rollout' },
  keys: { name: 'Keys', icon: 'key' },
  credentials: { name: 'Credentials', icon: 'credential' },
  passkeys: { name: 'Passkeys', icon: 'passkey' },
  people: { name: 'People', icon: 'people' },
  health: { name: 'Health', icon: 'health' },
  evidence: { name: 'Evidence', icon: 'chain' },
  plugins: { name: 'Plugins', icon: 'plugin' },
  design: { name: 'Design', icon: 'pencil' },
};

export const groups: readonly (readonly [name: string, pages: readonly Page[]])[] = [
  ['Review', ['approvals', 'sessions']],
  ['Observe', ['overview', 'traffic', 'requests', 'alerts', 'budgets']],
  ['Govern', ['policies', 'tools', 'servers', 'providers', 'rollouts']],
  ['Access', ['keys', 'credentials', 'passkeys', 'people']],
  ['System', ['health', 'evidence', 'plugins']],
];
