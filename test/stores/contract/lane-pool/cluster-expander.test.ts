import { newSecret, offer, work } from "../../../support/in-process-cluster.ts";
import { expanderContract } from "../../../contract/lane-pool/lane-pool-contract.ts";

expanderContract("workers behind a queue", async () => {
  const secret = newSecret();
  const { coordinator, explore } = await offer(secret);
  const cluster = explore();
  const workers = [1, 2].map((lanes) => work(secret, { lanes }));
  const close = cluster.close.bind(cluster);
  return Object.assign(cluster, {
    close: async () => {
      await close();
      await coordinator.close();
      for (const { leave } of workers) leave();
      await Promise.all(workers.map(({ ended }) => ended));
    },
  });
});
