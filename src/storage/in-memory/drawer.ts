import type { Delivery } from '../../conversation/deliveries.js';
import type { Shelves } from './shelves.js';

/** What is kept beside the conversations. */
export type Drawer = {
  deliveries: Delivery[];
  optOuts: Map<string, { told: boolean }>;
  addressed: Set<string>;
  facts: Map<string, string>;
};

const drawers = new WeakMap<Shelves, Drawer>();

/** The drawer that belongs to a store's shelves. */
export function drawerOf(shelves: Shelves): Drawer {
  const drawer = drawers.get(shelves) ?? {
    deliveries: [],
    optOuts: new Map(),
    addressed: new Set<string>(),
    facts: new Map(),
  };
  drawers.set(shelves, drawer);
  return drawer;
}
