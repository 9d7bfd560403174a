/**
 * Tool definitions of popular public MCP servers, as their releases list them: one file per server with its source and
 * version, then one tool per line. Paths of the machine that listed them are replaced.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '#core/kernel/json.ts';

export interface HonestServer {
  readonly name: string;
  /** Package or repository. */
  readonly source: string;
  readonly version: string;
  readonly tools: readonly JsonObject[];
}

export const honestServers: readonly HonestServer[] = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => {
    const [about, ...tools] = readFileSync(join(import.meta.dirname, file), 'utf8')
      .trim()
      .split('\n');
    return {
      name: file.replace('.jsonl', ''),
      ...(JSON.parse(about!) as Pick<HonestServer, 'source' | 'version'>),
      tools: tools.map((line) => JSON.parse(line) as JsonObject),
    };
  });
