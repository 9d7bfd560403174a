/**
 * Commands that are loaded on their own if they are the first word of a command line, because they run before each of
 * an agent's calls. A feature with such a command also adds a line here.
 */
export { quickCommand as codingAgents } from './coding-agents/quick-command.ts';
export type { QuickCommand } from './feature.ts';
