/**
 * The streaming plane: chat, MCP and actions of a deployment in containers that notice when a caller leaves. It adds a
 * stack and a container, and nothing to processes elsewhere. Its page is docs/how-to/run-the-streaming-plane.md.
 */
import type { Feature } from '../feature.ts';

export const feature: Feature = {};
