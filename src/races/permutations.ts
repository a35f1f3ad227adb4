/** Returns the given calls in every order. The first order is the given one. */
export function permutations(places: readonly number[]): readonly (readonly number[])[] {
  if (places.length < 2) return [places];
  return places.flatMap((first) => permutations(places.filter((place) => place !== first)).map((rest) => [first, ...rest]));
}
