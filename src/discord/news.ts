/** Wakes whoever waits for something new: `next` resolves at the next `tell`. */
export type News = { next(): Promise<void>; tell(): void };

/** Starts with nothing new. */
export function createNews(): News {
  let tell = () => {};
  let told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return {
    next: () => told,
    tell() {
      tell();
      told = new Promise((resolve) => {
        tell = resolve;
      });
    },
  };
}
