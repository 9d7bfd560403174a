/** Dialects by name. */
import type { DialectName } from '#core/contracts/chat.ts';
import { anthropic } from './anthropic/anthropic.ts';
import type { Dialect } from './dialect.ts';
import { openai } from './openai/openai.ts';

export const dialects: Readonly<Record<DialectName, Dialect>> = { openai, anthropic };
