/** The pages of the console, in navigation order. */

export const pages = [
  ...(['approvals', 'sessions'] as const),
  ...(['overview', 'traffic', 'requests', 'alerts', 'budgets'] as const),
  ...(['policies', 'tools', 'servers', 'providers', 'rollouts'] as const),
  ...(['keys', 'credentials', 'passkeys', 'people'] as const),
  ...(['health', 'evidence', 'plugins'] as const),
  /** The console's components, for people who build pages; the navigation does not link to it. */
  'design',
] as const;
export type Page = (typeof pages)[number];
