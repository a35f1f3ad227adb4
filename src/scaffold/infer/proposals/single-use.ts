import type { PlannedAction, ProposedSingleUse } from "../plan.ts";
import { says } from "./says.ts";

/**
 * Kinds of things that may be used only once, such as invitations, with patterns for the names of operations that create and use them. The patterns
 * match names without separators.
 */
const KINDS: readonly { readonly what: string; readonly create: RegExp; readonly use: RegExp }[] = [
  {
    what: "password reset",
    create:
      /forgot|forget|lostpassword|recoverpassword|(?:request|send|start|initiate|create).{0,12}(?:passwordreset|resetpassword|resetlink)|(?:passwordreset|resetpassword)(?:request|link|email|token)/,
    use: /(?:reset|recover)(?:my|the|your|a)?password|passwordreset|passwordrecovery|confirmreset/,
  },
  {
    what: "recovery code",
    create: /(?:generate|create|regenerate|new|issue).{0,12}(?:backup|recovery)codes?/,
    use: /(?:verify|use|redeem|signin|login|with).{0,12}(?:backup|recovery)code(?!s)/,
  },
  {
    what: "one-time password",
    create: /(?:send|request|create|generate|issue|resend).{0,16}(?:otp|onetime|passcode|verificationcode|logincode)/,
    use: /(?:verify|check|confirm|validate|submit|signin|login).{0,16}(?:otp|onetime|passcode|verificationcode|logincode)|(?:otp|passcode)(?:verify|check|confirm|login)/,
  },
  {
    what: "magic link",
    create: /(?:send|request|create|signin|login).{0,12}(?:magiclink|loginlink|emaillink)/,
    use: /(?:verify|consume|confirm|use|callback).{0,12}(?:magiclink|loginlink|emaillink)|(?:magiclink|loginlink|emaillink)(?:verify|confirm|callback|consume)/,
  },
  {
    what: "email verification",
    create: /(?:send|resend|request).{0,16}verif/,
    use: /(?:verify|confirm)(?:my|the|your)?email|emailverif|emailconfirm|activateaccount/,
  },
  {
    what: "invitation",
    create: /invit/,
    use: /(?:accept|redeem|claim|join).{0,16}invit|invit.{0,24}(?:accept|redeem|claim|join)/,
  },
  {
    what: "coupon",
    create:
      /(?:create|issue|add|new|generate).{0,12}(?:coupon|voucher|giftcard|giftcode|promocode)|^(?:api)?(?:v\d+)?(?:coupon|voucher|giftcard|promocode)s?$/,
    use: /(?:redeem|apply|use|claim|spend).{0,16}(?:coupon|voucher|giftcard|giftcode|promocode)|(?:coupon|voucher|giftcard|giftcode|promocode).{0,24}(?:redeem|apply|claim|spend)/,
  },
  { what: "authorization code", create: /authori[sz]e$|authorizationcode$/, use: /(?:exchange|redeem).{0,16}code|oauth2?token$/ },
];

const NEVER = /(?!)/;

/** Matches names of operations that neither create nor use such an object, for example an operation that cancels an invitation. */
const ENDS = /cancel|reject|decline|revoke|delete|expire|list/;

/**
 * Finds pairs of operations that create and use something that may be used only once. The patterns in `KINDS` are matched against the names of
 * operations and the beginnings of their descriptions.
 */
export function findSingleUse(actions: readonly PlannedAction[]): readonly ProposedSingleUse[] {
  const writes = actions.filter(({ operation: { method } }) => method === "post" || method === "put" || method === "patch");
  const spent = new Set<PlannedAction>();
  return KINDS.flatMap(({ what, create, use }) =>
    actions
      .filter((one) => says(one, use, ENDS) && !says(one, what === "invitation" ? NEVER : create) && !spent.has(one) && isSpending(one))
      .flatMap((one): readonly ProposedSingleUse[] => {
        const makers = writes.filter(
          (other) => other !== one && says(other, create, ENDS) && !(what !== "password reset" && says(other, use)),
        );
        const gives = ({ produces }: PlannedAction): boolean => produces.some(({ key }) => one.needs.includes(key));
        const made = makers.find(gives) ?? makers.find((other) => !isSpending(other)) ?? makers[0];
        if (made === undefined) return [];
        spent.add(one);
        // Many coupons may be used once by each customer. Therefore, propose the rule for coupons only in a comment of the generated code.
        return [{ what, create: made, use: one, isLinked: gives(made) && what !== "coupon" }];
      }),
  );
}

/** Matches names of fields and parameters that hold a code or token which may be used only once. */
const SECRET = /token|code|otp|pin$|coupon|voucher|invit|ticket|key$|hash$/i;

function isSpending({ parameters, body, needs }: PlannedAction): boolean {
  const fields = body?.value.kind === "object" ? body.value.entries.map(([name]) => name) : [];
  const constant = body?.value.kind === "constant" && typeof body.value.value === "object" ? Object.keys(body.value.value ?? {}) : [];
  return [...parameters.map(({ name }) => name), ...fields, ...constant, ...needs].some((name) => SECRET.test(name));
}
