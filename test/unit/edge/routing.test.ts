/** Paths of the edge: which upstream, and how it is called there. */
import { edgeTarget } from '#core/edge/routing.ts';
import { routedPaths, strayPaths } from '../../support/edge-paths.ts';

test.each(routedPaths)('[edge.routing] %s belongs to %s as %s', (url, upstream, path) => {
  expect(edgeTarget(url)).toEqual({ upstream, url: path });
});

test.each(strayPaths)('[edge.routing] there is nothing at %s', (url) => {
  expect(edgeTarget(url)).toBeUndefined();
});
