/**
 * The streaming plane: chat and MCP of a deployment in containers that notice when a caller leaves. What it adds is its
 * stack and its container. Its page is docs/how-to/deploy-to-aws.md.
 */
import type { Feature } from '../feature.ts';

export const feature: Feature = {};
