/** The pages of the console, in the order of the navigation. */

export const pages = [
  ...(['approvals', 'sessions'] as const),
  ...(['overview', 'traffic', 'requests', 'alerts', 'budgets'] as const),
  ...(['policies', 'tools', 'servers', 'providers', 'rollouts'] as const),
  ...(['keys', 'credentials', 'passkeys', 'people'] as const),
  ...(['health', 'evidence', 'plugins'] as const),
  /** The components of the console, for those who build pages; no navigation offers it. */
  'design',
] as const;
export type Page = (typeof pages)[number];
