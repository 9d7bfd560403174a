/** Kinds of stored data that are compared with evidence [evidence.in-force]. */
export const comparedKinds = [
  'configuration',
  'keys',
  'binding',
  'budget',
  'risk',
  'session',
  'definition',
  'task_sheet',
  'ticket',
  'credential',
] as const;
