/* SPDX-License-Identifier: Apache-2.0 */
/* Losses and their gradients in double, for f32 and f64; included once for each (wide_cores.h). x:
 * weights first, of a gradient then that of the result, then prediction and target. Of gradients
 * s[0] is 1, or what a mean divides by, inverted. */

K_TEMPLATE
void NAME(mse_loss_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd away = x[0] - x[1];
    y[0] = away * away;
}
WIDE(mse_loss)

K_TEMPLATE
void NAME(l1_loss_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = vd_abs(x[0] - x[1]);
}
WIDE(l1_loss)

/* s[0]: beta */
K_TEMPLATE
void NAME(smooth_l1_loss_wide)(vd *y, const vd *x, const vd *s)
{
    const vd away = vd_abs(x[0] - x[1]);
    y[0] = vd_if(vd_less(away, s[0]), 0.5 * away * away / s[0], away - 0.5 * s[0]);
}
WIDE(smooth_l1_loss)

K_TEMPLATE
void NAME(mse_grad_wide)(vd *y, const vd *x, const vd *s)
{
    y[0] = 2 * s[0] * (x[1] - x[2]) * x[0];
}
WIDE(mse_grad)

/* 1 where it is positive, -1 where it is negative. */
K_TEMPLATE
vd NAME(sign_of)(vd away)
{
    const vd zero = {0}, one = vd_all(1);
    return vd_if(vd_less(zero, away), one, vd_if(vd_less(away, zero), -one, zero));
}

K_TEMPLATE
void NAME(l1_grad_wide)(vd *y, const vd *x, const vd *s)
{
    y[0] = NAME(sign_of)(x[1] - x[2]) * s[0] * x[0];
}
WIDE(l1_grad)

/* s[1]: beta */
K_TEMPLATE
void NAME(smooth_l1_grad_wide)(vd *y, const vd *x, const vd *s)
{
    const vd away = x[1] - x[2], one = vd_all(1);
    const vd sign = vd_if(vd_less((vd){0}, away), one, -one);
    const vd outer = vd_if(vd_equal(away, away), sign, away);
    y[0] = s[0] * vd_if(vd_less(vd_abs(away), s[1]), away / s[1], outer) * x[0];
}
WIDE(smooth_l1_grad)

/* log(1 + exp(-x t)) */
K_TEMPLATE
void NAME(soft_margin_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = NAME(wide_softplus)(-x[0] * x[1]);
}
WIDE(soft_margin)

K_TEMPLATE
void NAME(soft_margin_grad_wide)(vd *y, const vd *x, const vd *s)
{
    y[0] = -x[2] * NAME(wide_sigmoid)(-x[1] * x[2]) * s[0] * x[0];
}
WIDE(soft_margin_grad)

/* ---- cross entropies of two classes ---- */

/* Logarithms are at least -100, and a NaN stays. */
K_TEMPLATE
vd NAME(bounded)(vd logarithm)
{
    const vd least = vd_all(-100);
    return vd_if(vd_less(logarithm, least), least, logarithm);
}

K_TEMPLATE
void NAME(bce_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd of_one = x[2] * NAME(bounded)(NAME(wide_log)(x[1]));
    const vd of_zero = (1 - x[2]) * NAME(bounded)(NAME(wide_log1p)(-x[1]));
    y[0] = -x[0] * (of_one + of_zero);
}
WIDE(bce)

K_TEMPLATE
void NAME(bce_grad_wide)(vd *y, const vd *x, const vd *s)
{
    const vd least = vd_all(1e-12), variance = (1 - x[2]) * x[2];
    const vd divisor = vd_if(vd_less(variance, least), least, variance);
    y[0] = x[0] * x[1] * s[0] * (x[2] - x[3]) / divisor;
}
WIDE(bce_grad)

/* softplus(x) and softplus(-x) */
struct NAME(softpluses) {
    vd of_x, of_minus_x;
};

K_TEMPLATE
struct NAME(softpluses) NAME(softpluses_of)(vd x)
{
    const vd zero = {0}, rest = NAME(wide_softplus)(-vd_abs(x));
    const vd_mask is_negative = vd_less(x, zero);
    return (struct NAME(softpluses)){rest + vd_if(is_negative, zero, x),
                                     rest + vd_if(is_negative, -x, zero)};
}

/* x: weight, weight of ones, logits, target. Of targets between 0 and 1 both terms are positive. */
K_TEMPLATE
void NAME(bce_logits_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const struct NAME(softpluses) minus_log = NAME(softpluses_of)(x[2]);
    y[0] = x[0] * (x[1] * x[3] * minus_log.of_minus_x + (1 - x[3]) * minus_log.of_x);
}
WIDE(bce_logits)

K_TEMPLATE
void NAME(bce_logits_grad_wide)(vd *y, const vd *x, const vd *s)
{
    const struct wide_sigmoids p = wide_sigmoids_of(x[3], NAME(wide_exp)(-vd_abs(x[3])));
    const vd slope = (1 - x[4]) * p.of_x - x[1] * x[4] * p.of_minus_x;
    y[0] = x[0] * x[2] * s[0] * slope;
}
WIDE(bce_logits_grad)

K_TEMPLATE
void NAME(bce_logits_target_grad_wide)(vd *y, const vd *x, const vd *s)
{
    const struct NAME(softpluses) minus_log = NAME(softpluses_of)(x[3]);
    y[0] = x[0] * x[2] * s[0] * (x[1] * minus_log.of_minus_x - minus_log.of_x);
}
WIDE(bce_logits_target_grad)

/* ---- divergence: x is a logarithm; so is the target of the cores _log ---- */

/* Of a target 0 its logarithm has no say. */
K_TEMPLATE
void NAME(kl_div_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd zero = {0}, entropy = x[1] * NAME(wide_log)(x[1]);
    y[0] = vd_if(vd_equal(x[1], zero), zero, entropy) - x[1] * x[0];
}
WIDE(kl_div)

K_TEMPLATE
void NAME(kl_div_log_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = NAME(wide_exp)(x[1]) * (x[1] - x[0]);
}
WIDE(kl_div_log)

K_TEMPLATE
void NAME(kl_div_grad_wide)(vd *y, const vd *x, const vd *s)
{
    y[0] = -x[2] * s[0] * x[0];
}
WIDE(kl_div_grad)

K_TEMPLATE
void NAME(kl_div_log_grad_wide)(vd *y, const vd *x, const vd *s)
{
    y[0] = -NAME(wide_exp)(x[2]) * s[0] * x[0];
}
WIDE(kl_div_log_grad)

K_TEMPLATE
void NAME(kl_div_target_grad_wide)(vd *y, const vd *x, const vd *s)
{
    y[0] = (NAME(wide_log)(x[2]) - x[1] + 1) * s[0] * x[0];
}
WIDE(kl_div_target_grad)

K_TEMPLATE
void NAME(kl_div_log_target_grad_wide)(vd *y, const vd *x, const vd *s)
{
    y[0] = NAME(wide_exp)(x[2]) * (x[2] - x[1] + 1) * s[0] * x[0];
}
WIDE(kl_div_log_target_grad)

/* x: prediction, target */
K_TEMPLATE
void NAME(hinge_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    const vd margin = 1 - x[0] * x[1];
    y[0] = vd_if(vd_less(margin, (vd){0}), (vd){0}, margin);
}
WIDE(hinge)

/* x: prediction, target, the result's gradient */
K_TEMPLATE
void NAME(hinge_grad_wide)(vd *y, const vd *x, const vd *s)
{
    (void)s;
    y[0] = vd_if(vd_less(x[0] * x[1], vd_all(1)), -x[1] * x[2], (vd){0});
}
WIDE(hinge_grad)

/* s[0]: delta */
K_TEMPLATE
void NAME(huber_wide)(vd *y, const vd *x, const vd *s)
{
    const vd away = vd_abs(x[0] - x[1]);
    y[0] = vd_if(vd_less(s[0], away), s[0] * (away - 0.5 * s[0]), 0.5 * away * away);
}
WIDE(huber)

/* s[0]: margin. A target of 1 or of -1, of another nothing. */
K_TEMPLATE
void NAME(hinge_embedding_wide)(vd *y, const vd *x, const vd *s)
{
    const vd zero = {0}, left = s[0] - x[0], rest = vd_if(vd_less(left, zero), zero, left);
    const vd far = vd_if(vd_equal(x[1], vd_all(-1)), rest, zero);
    y[0] = vd_if(vd_equal(x[1], vd_all(1)), x[0], far);
}
WIDE(hinge_embedding)

/* x: mean, target, variance; s: the least variance, what is added */
K_TEMPLATE
void NAME(gaussian_nll_wide)(vd *y, const vd *x, const vd *s)
{
    const vd away = x[0] - x[1], variance = vd_if(vd_less(x[2], s[0]), s[0], x[2]);
    y[0] = 0.5 * (NAME(wide_log)(variance) + away * away / variance) + s[1];
}
WIDE(gaussian_nll)
