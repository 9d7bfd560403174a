/** Classifier that checks text from MCP servers after the tool guard's rules [guard.classifier]. */
import * as z from 'zod';

const common = {
  looks_at: z
    .array(z.enum(['results', 'definitions']))
    .min(1)
    .default(['results', 'definitions'])
    .meta({
      description:
        'What it reads: results of tools and resources (not prompts), and definitions of tools that are new or have changed.',
    }),
  threshold: z
    .number()
    .min(0.01)
    .max(1)
    .default(0.5)
    .meta({ description: 'Score at which text counts as a finding of kind classified: a number from 0.01 to 1.' }),
  timeout_ms: z
    .int()
    .min(10)
    .max(60_000)
    .default(2_000)
    .meta({ description: 'Longest duration of one check, in milliseconds, 10 to 60,000.' }),
  max_bytes: z.int().min(1_024).max(1_048_576).default(65_536).meta({
    description:
      'Most bytes of UTF-8 that one check reads, 1,024 to 1,048,576. Longer text is not checked, and on_error applies to it.',
  }),
  on_error: z.enum(['refuse', 'log']).default('refuse').meta({
    description:
      'What happens on an error, a timeout, a spent budget, text that is too long or a response in another form: refuse withholds the result and lists none of the definitions, log records it and lets the text pass.',
  }),
};

export const toolGuardClassifier = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('wasm').meta({ description: 'Kind of the classifier.' }),
      filter: z.string().min(1).meta({
        description: 'Name of a filter of type wasm in policies.output or policies.input; its module checks the text.',
      }),
      ...common,
    }),
    z.strictObject({
      type: z.literal('model').meta({ description: 'Kind of the classifier.' }),
      model: z.string().min(1).meta({
        description:
          "Model that scores the text, by a name that a route or a provider serves. Its calls count against the limits and budgets of the caller's tenant and key.",
      }),
      ...common,
    }),
  ])
  .optional()
  .meta({
    description:
      'A classifier that checks text after the rules of the guard have let it pass. If absent, no classifier is used.',
  });

export type ClassifierSettings = NonNullable<z.infer<typeof toolGuardClassifier>>;
