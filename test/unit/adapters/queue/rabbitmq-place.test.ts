import { describe, expect, it } from "vitest";
import { rabbitmqPlace, shownRabbitmq, urlOfVhost } from "../../../../src/adapters/queue/rabbitmq/rabbitmq-place.ts";

describe("URLs of RabbitMQ", () => {
  it.each([
    ["amqp://h", "/", "http://h:15672", "amqp://h/seqqa_1"],
    ["amqp://u:p@h:5673/shop", "shop", "http://h:15672", "amqp://u:p@h:5673/seqqa_1"],
    ["amqps://h/%2Fshop", "/shop", "https://h:15671", "amqps://h/seqqa_1"],
    ["amqp://h?management=http://m:1/", "/", "http://m:1", "amqp://h/seqqa_1?management=http%3A%2F%2Fm%3A1"],
  ])("%s is the virtual host %s, and lanes have %4$s", (url, vhost, management, lane) => {
    const place = rabbitmqPlace(url);
    expect(place).toMatchObject({ vhost, management });
    expect(urlOfVhost(place, "seqqa_1")).toBe(lane);
    expect(rabbitmqPlace(lane).management).toBe(management);
  });

  it("are shown without user and password", () => {
    expect(shownRabbitmq(rabbitmqPlace("amqp://ann:s3cret@h:1/shop"))).toBe("RabbitMQ at h:1 (virtual host shop)");
  });

  it.each(["http://h", "amqp:", "no url s3cret", "amqp://h?management=s3cret", "amqp://h?management=http://u:s3cret@h"])(
    "%s is refused without being shown",
    (url) => {
      expect(() => rabbitmqPlace(url)).toThrow(/^The URL of a RabbitMQ store is not valid: (?!.*s3cret)/);
    },
  );
});
